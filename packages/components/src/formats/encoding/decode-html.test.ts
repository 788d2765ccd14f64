import { describe, expect, it } from 'vitest';
import { decodeHtml } from './decode-html.ts';

describe('decodeHtml', () => {
  it.each<[string, Uint8Array, string | undefined]>([
    ['meta charset', Buffer.from('<meta charset=iso-8859-1><p>é', 'latin1'), undefined],
    [
      'meta content',
      Buffer.from('<META http-equiv=x content="text/html; charset=ISO-8859-1"><p>é', 'latin1'),
      undefined,
    ],
    ['an XML declaration', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><p>é', 'latin1'), undefined],
    ['the first known one', Buffer.from('<meta charset=klingon><meta charset=iso-8859-1><p>é', 'latin1'), undefined],
    ['UTF-8 by default', Buffer.from('<p>é'), undefined],
    ['the given one', Buffer.from('<meta charset=utf-8><p>é', 'latin1'), 'ISO-8859-1'],
    ['a byte-order mark above all', Buffer.from('\ufeff<meta charset=iso-8859-1><p>é'), 'ISO-8859-1'],
    ['UTF-16', Buffer.from('\ufeff<p>é', 'utf16le'), undefined],
  ])('goes by %s', (_what, bytes, charset) => expect(decodeHtml(bytes, charset)).toMatch(/<p>é$/));
});
