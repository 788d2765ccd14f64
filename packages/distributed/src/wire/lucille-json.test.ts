import { Document, writeDocument } from '@headrace/engine';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueuedDocumentEncoder } from './document-encoder.ts';
import { lucilleJson } from './lucille-json.ts';

describe("a document in Lucille's format", () => {
  const encode = (text: string) => {
    const document = Document.create('d');
    document.set('text', text);
    return new QueuedDocumentEncoder().encode(document);
  };

  it('has the escapes of Jackson, with codes in capitals', () => {
    expect(encode('\u0000\u001f\u000b\b\t\n\f\r"\\/\u007f\u2028é😀')).toBe(
      '{"id":"d","text":"\\u0000\\u001F\\u000B\\b\\t\\n\\f\\r\\"\\\\/\u007f\u2028é😀"}',
    );
  });

  it('keeps a backslash before a text like a code', () => {
    expect(encode('\\u001f\u001e')).toBe('{"id":"d","text":"\\\\u001f\\u001E"}');
  });

  it('has the same values for any text', () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        const document = Document.create('d');
        document.set('text', text);
        const json = writeDocument(document);
        expect(JSON.parse(lucilleJson(json))).toEqual(JSON.parse(json));
      }),
    );
  });
});
