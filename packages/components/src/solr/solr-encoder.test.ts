import { DocumentTable, type Value } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SolrEncoder, type SolrEncoderOptions } from './solr-encoder.ts';

const plain: SolrEncoderOptions = { collection: 'shop', whitelist: [], blacklist: [] };

function encoded(options: SolrEncoderOptions, table: () => DocumentTable): { rows: string[]; whole: string[] } {
  const encoder = new SolrEncoder(options);
  const { ids } = table();
  return {
    rows: ids.map((_, row) => encoder.encode(table().document(row))),
    whole: encoder.encodeTable?.(table()) ?? [],
  };
}

describe('SolrEncoder', () => {
  it('encodes tables like single documents', () => {
    const text = fc.string({ unit: 'grapheme' });
    const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 }));
    const row = fc.tuple(fc.string({ minLength: 1 }), fc.option(value, { nil: undefined }), text);
    const names = fc.constantFrom([], ['a'], ['id', 'b'], ['run_id']);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), names, names, (made, whitelist, blacklist) => {
        const columns = [0, 1, 2].map((i) => made.map((cells) => cells[i] as Value | undefined));
        const table = () => new DocumentTable(['id', 'a', 'b'], columns, made.length, [false, true, false]);
        const { rows, whole } = encoded({ ...plain, whitelist, blacklist }, table);
        expect(whole).toEqual(rows);
      }),
    );
  });

  it('gives nested documents the run_id of their document for sync, unless they have one', () => {
    const children = [new Map([['id', 'a-1']]), new Map(Object.entries({ id: 'a-2', run_id: 'r0' }))];
    const encode = (more: Partial<SolrEncoderOptions>) => {
      const table = new DocumentTable(['id', 'run_id', '___children'], [['a'], ['r1'], [children]], 1);
      return new SolrEncoder({ ...plain, ...more }).encode(table.document(0));
    };
    const nested = (first: string) => `"_childDocuments_":[{"id":"a-1"${first}},{"id":"a-2","run_id":"r0"}]`;
    expect(encode({})).toContain(nested(''));
    expect(encode({ marksNested: true })).toContain(nested(',"run_id":"r1"'));
    expect(encode({ marksNested: true, blacklist: ['run_id'] })).toContain(
      '"_childDocuments_":[{"id":"a-1"},{"id":"a-2"}]',
    );
  });

  it('refuses a table with children or objects, so that documents fail alone', () => {
    const table = (name: string, value: Value) => new DocumentTable(['id', name], [['1'], [value]], 1);
    const encoder = new SolrEncoder(plain);
    const object = new Map([['x', 1]]);
    expect(() => encoder.encodeTable?.(table('a', object))).toThrow('object');
    expect(() => encoder.encodeTable?.(table('a', ['x', object]))).toThrow('object');
    expect(() => encoder.encodeTable?.(table('___children', [object]))).toThrow('one at a time');
    const { encodeTable } = new SolrEncoder({ ...plain, blacklist: ['a'] });
    expect(encodeTable?.(table('a', object))).toEqual(['{"collection":"shop","id":"1"}\n"add":{"doc":{"id":"1"}}\n']);
  });
});
