import { describe, expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

describe('htmlText', () => {
  it.each<[string, Uint8Array, string | undefined]>([
    ['the charset of a meta element', Buffer.from('<meta charset=iso-8859-1><p>é', 'latin1'), undefined],
    [
      'the charset in the content of a meta element',
      Buffer.from('<META http-equiv=x content="text/html; charset=ISO-8859-1"><p>é', 'latin1'),
      undefined,
    ],
    [
      'the encoding of an XML declaration',
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><p>é', 'latin1'),
      undefined,
    ],
    [
      'the first known charset of several',
      Buffer.from('<meta charset=klingon><meta charset=iso-8859-1><p>é', 'latin1'),
      undefined,
    ],
    ['UTF-8 by default', Buffer.from('<p>é'), undefined],
    ['the configured charset', Buffer.from('<meta charset=utf-8><p>é', 'latin1'), 'ISO-8859-1'],
    [
      'the charset of a byte-order mark before all others',
      Buffer.from('\ufeff<meta charset=iso-8859-1><p>é'),
      'ISO-8859-1',
    ],
    ['UTF-16', Buffer.from('\ufeff<p>é', 'utf16le'), undefined],
  ])('uses %s', (_what, bytes, charset) => expect(htmlText(bytes, charset)).toMatch(/<p>é$/));
});
