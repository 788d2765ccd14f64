import { type Document, Double, readDocument, type Value, writeDocument } from '@headrace/engine';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDocument, DecodedRecords } from './any-document.test.lib.ts';
import { type DocumentPositions, QueuedDocumentDecoder } from './document-decoder.ts';
import { QueuedDocumentEncoder } from './document-encoder.ts';
import { lucilleJson } from './lucille-json.ts';

/** Decodes messages as a pipeline thread receives them: in sequence, undefined for a message without a value. */
function decode(values: readonly (string | undefined)[]): DecodedRecords {
  const bytes = values.map((value) => Buffer.from(value ?? ''));
  const positions: DocumentPositions = {
    topic: 'p_source',
    partitions: Int32Array.from(values, (_, i) => i % 3),
    offsets: BigInt64Array.from(values, (_, i) => BigInt(i) + 2n ** 40n),
    lengths: Int32Array.from(values, (value, i) => (value === undefined ? -1 : (bytes[i] as Buffer).length)),
  };
  const decoded = new DecodedRecords();
  new QueuedDocumentDecoder().decode(Buffer.concat(bytes), positions, decoded);
  return decoded;
}

const encode = (document: Document) => new QueuedDocumentEncoder().encode(document);

describe("documents in Lucille's format", () => {
  it('are the JSON of the whole document, and the same JSON after decoding', () => {
    fc.assert(
      fc.property(fc.array(anyDocument, { maxLength: 5 }), (documents) => {
        const texts = documents.map(encode);
        expect(texts).toEqual(documents.map((document) => lucilleJson(writeDocument(document))));
        const { documents: found, rejected } = decode(texts.map((text) => text.toWellFormed()));
        expect(found.map(encode)).toEqual(texts.map((text) => encode(readDocument(text.toWellFormed()))));
        expect(rejected).toEqual([]);
      }),
    );
  });

  it('keep long integers, whole doubles, the order of fields, and names of JavaScript members', () => {
    const text =
      '{"run_id":"r","10":1,"2":[1,1.0,1.0E10,9223372036854775808,-0.0],"id":"ü😀","__proto__":{"a":null},"___skipped":true}';
    const { documents } = decode([text]);
    expect(documents[0]?.fieldNames).toEqual(['run_id', '10', '2', 'id', '__proto__', '___skipped']);
    const list: Value = [1, new Double(1), new Double(1e10), 9223372036854775808n, new Double(-0)];
    expect(documents[0]?.get('2')).toEqual(list);
    expect(encode(documents[0] as Document)).toBe(text);
  });

  it('write bytes as base64 text', () => {
    const document = readDocument('{"id":"a"}');
    document.set('bytes', new Uint8Array([0, 255, 16]));
    expect(encode(document)).toBe('{"id":"a","bytes":"AP8Q"}');
  });
});

describe('a message that is not a document', () => {
  it.each([
    ['an empty text', '', /./],
    ['a list', '[1]', /object/i],
    ['truncated', '{"id":"bro', /./],
    ['without an id', '{"no":"id"}', /^id is missing$/],
    ['with an id that is a number', '{"id":1}', /^id is present but null or empty or not a string$/],
    ['with an empty id', '{"id":""}', /^id is present but null or empty or not a string$/],
    ['without a value', undefined, /^the message has no value$/],
  ])('(%s) is rejected alone, with its place', (_, value, reason) => {
    const { documents, rejected } = decode(['{"id":"before"}', value, '{"id":"after"}']);
    expect(documents.map(({ id }) => id)).toEqual(['before', 'after']);
    expect(rejected.map(({ place }) => place)).toEqual(['topic p_source, partition 1, offset 1099511627777']);
    expect(rejected[0]?.message).toMatch(reason);
  });

  it('is rejected without ending the decoder, for any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(unicodeText(), fc.json()), { maxLength: 5 }), (values) => {
        const { documents, rejected } = decode(values);
        expect(documents.length + rejected.length).toBe(values.length);
        for (const { message } of rejected) expect(message).not.toBe('');
      }),
    );
  });
});
