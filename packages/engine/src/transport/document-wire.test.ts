import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDocument } from '../document/any-value.test.lib.ts';
import { Document } from '../document/document.ts';
import { Shape } from '../document/shape.ts';
import { Double, equalValues, type Value } from '../document/value.ts';
import { decodeDocuments, encodeDocuments } from './document-wire.ts';

describe('document wire', () => {
  it('transfers any documents unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyDocument()), (documents) => {
        const arrived = decodeDocuments(encodeDocuments(documents));
        expect(arrived).toHaveLength(documents.length);
        for (const [i, document] of documents.entries()) {
          const copy = arrived[i] as Document;
          expect(copy.fieldNames).toEqual(document.fieldNames);
          expect(equalValues(copy.fieldValues, document.fieldValues)).toBe(true);
          expect(copy.toJson()).toBe(document.toJson());
        }
      }),
      { numRuns: process.env['CI'] === undefined ? 60 : 300 },
    );
  });

  it('keeps documents separate if they have the same field names', () => {
    const shape = Shape.of(['id', 'a']);
    const arrived = decodeDocuments(
      encodeDocuments([new Document(shape, ['1', 'x']), new Document(shape, ['2', 'y']), Document.create('3')]),
    );
    (arrived[0] as Document).set('b', 1);
    expect(arrived.map((document) => document.toJson())).toEqual([
      '{"id":"1","a":"x","b":1}',
      '{"id":"2","a":"y"}',
      '{"id":"3"}',
    ]);
  });

  it('keeps the types of numbers, including zeros and infinities', () => {
    const document = Document.create('1');
    const numbers: Value[] = [1, new Double(1), new Double(-0), -0, 1e300, 0.1, 2n ** 70n, Number.NaN, -Infinity];
    document.set('n', numbers);
    document.set('odd', [new Double(Number.NaN), new Double(0.5)]);
    const [arrived] = decodeDocuments(encodeDocuments([document]));
    expect(arrived?.toJson()).toBe(document.toJson());
    expect(arrived?.toJson()).toContain('[1,1.0,-0.0,0,1.0E300,0.1,1180591620717411303424,"NaN","-Infinity"]');
  });

  it('transfers flags, children and bytes unchanged', () => {
    const dropped = Document.create('1');
    dropped.drop();
    const parent = Document.create('2');
    parent.addChild(dropped);
    parent.set('bytes', new Uint8Array([0, 128, 255]));
    const arrived = decodeDocuments(encodeDocuments([dropped, parent]));
    expect(arrived[0]?.dropped).toBe(true);
    expect(arrived[1]?.dropped).toBe(false);
    expect(arrived[1]?.children()[0]?.dropped).toBe(true);
    expect(arrived[1]?.get('bytes')).toEqual(new Uint8Array([0, 128, 255]));
  });

  it('transfers values up to the maximum depth of a document', () => {
    for (const nest of [(value: Value): Value => [value], (value: Value): Value => new Map([['a', value]])]) {
      let value: Value = 1;
      for (let i = 0; i < 999; i++) value = nest(value);
      const document = Document.create('1');
      document.set('deep', value);
      expect(decodeDocuments(encodeDocuments([document]))[0]?.toJson()).toBe(document.toJson());
    }
  });

  it('returns a separate buffer that can be transferred', () => {
    const bytes = encodeDocuments([Document.create('1')]);
    expect(bytes.byteOffset).toBe(0);
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
    expect(decodeDocuments(encodeDocuments([]))).toEqual([]);
  });

  it('throws an error for a value that is not a field value', () => {
    const document = Document.create('1');
    document.set('a', [new Date(0) as unknown as Value]);
    expect(() => encodeDocuments([document])).toThrow('A field holds an object ([object Date])');
  });
});
