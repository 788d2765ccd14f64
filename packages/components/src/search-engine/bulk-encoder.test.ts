import { DocumentTable, readDocument, type Value } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';

const plain: BulkEncoderOptions = { index: 'idx', update: false, whitelist: [], blacklist: [] };
const encode = (options: Partial<BulkEncoderOptions>, json: string) =>
  new BulkEncoder({ ...plain, ...options }).encode(readDocument(json));

describe('BulkEncoder', () => {
  it('omits nulls except in lists, and internal fields', () => {
    const json = '{"id":"1","n":null,"o":{"x":null,"y":[null,{"z":null}]},"f":1.0,"___skipped":true,"run_id":"r"}';
    expect(encode({}, json)).toBe(
      '{"index":{"_id":"1","_index":"idx"}}\n{"id":"1","o":{"y":[null,{}]},"f":1.0,"run_id":"r"}\n',
    );
  });

  it('writes the id, index, routing and version of a document, also for deletes', () => {
    const options = {
      idOverrideField: 'oid',
      indexOverrideField: 'ix',
      routingField: 'r',
      version: { field: 'v', type: 'external' },
      deletionMarkerField: 'del',
      deletionMarkerFieldValue: 'true',
    } as const;
    const target = '"version":7,"version_type":"external","_id":"A","_index":"i","routing":"k"';
    expect(encode(options, '{"id":"1","oid":"A","ix":"i","r":["k","l"],"v":"7"}')).toBe(
      `{"index":{${target}}}\n{"id":"A","oid":"A","ix":"i","r":["k","l"],"v":"7"}\n`,
    );
    expect(encode(options, '{"id":"1","oid":"A","ix":"i","r":"k","v":7,"del":true}')).toBe(`{"delete":{${target}}}\n`);
  });

  it.each([
    [{ idOverrideField: 'a' }, '{"id":"1","a":""}', /field a \(indexer.idOverrideField\) is empty/],
    [{}, `{"id":"${'é'.repeat(257)}"}`, /longer than the 512 bytes/],
    [{ version: { field: 'v', type: 'external' } as const }, '{"id":"1","v":"x"}', /field v must be a number from 0/],
    [{ version: { field: 'v', type: 'external' } as const }, '{"id":"1","v":-1.5}', /a number from 0 to .*, was -1.5/],
    [{ version: { field: 'v', type: 'external' } as const }, '{"id":"1","v":1e19}', /field v must be a number from 0/],
    [{ version: { field: 'v', type: 'external' } as const }, '{"id":"1","v":true}', /field v must be a number from 0/],
  ])('rejects documents for which a search engine would reject the whole request: %j %s', (options, json, reason) => {
    expect(() => encode(options, json)).toThrow(reason);
  });

  it.each([
    ['2.9', '2'],
    ['"2.9"', '2'],
    ['" 7 "', '7'],
    ['"1e3"', '1000'],
    ['2.0', '2'],
    ['-0.5', '0'],
    ['9223372036854775807', '9223372036854775807'],
    ['"9223372036854775807"', '9223372036854775807'],
  ])('sends the version %s without its fraction, as %s', (value, version) => {
    const line = encode({ version: { field: 'v', type: 'external' } }, `{"id":"1","v":${value}}`);
    expect(line).toContain(`"version":${version},"version_type":"external"`);
  });

  it('warns once that children are not sent', () => {
    const warnings: string[] = [];
    const log = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
    const encoder = new BulkEncoder(plain, log as never);
    for (const id of ['1', '2']) encoder.encode(readDocument(`{"id":"${id}","___children":[{"id":"c"}]}`));
    expect(warnings).toEqual([expect.stringContaining('Document 1 has children, which are not sent')]);
  });

  it('encodes a table like its single documents', () => {
    const value: fc.Arbitrary<Value | undefined> = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constant(undefined),
      fc.constant<Value>([1, null]),
      fc.constant<Value>(
        new Map<string, Value>([
          ['a', null],
          ['b', [null, new Map([['c', null]])]],
          ['d', 1],
        ]),
      ),
    );
    const tables = fc.integer({ min: 1, max: 4 }).chain((count) =>
      fc.record({
        ids: fc.array(fc.string({ minLength: 1, maxLength: 10 }), { minLength: count, maxLength: count }),
        column: fc.array(value, { minLength: count, maxLength: count }),
        name: fc.constantFrom('x', '___children'),
        update: fc.boolean(),
        settings: fc.constantFrom<Partial<BulkEncoderOptions>>(
          {},
          { idOverrideField: 'other' },
          { indexOverrideField: 'other' },
          { idOverrideField: 'other', indexOverrideField: 'other', blacklist: ['x'] },
          { routingField: 'x' },
          { childDocumentsField: 'x' },
          { index: 'logs-{number}' },
          { version: { field: 'number', type: 'external' } },
        ),
      }),
    );
    fc.assert(
      fc.property(tables, ({ ids, column, name, update, settings }) => {
        const table = () => {
          const made = new DocumentTable(['id'], [ids], ids.length);
          made.put(name, column, true);
          made.put(
            'other',
            ids.map((id) => `${id}-other`),
            false,
          );
          made.fill('number', 7);
          made.fill('run_id', 'r');
          return made;
        };
        const encoder = new BulkEncoder({ ...plain, update, ...settings });
        const rows = ids.map((_, row) => encoder.encode(table().document(row)));
        const whole = table();
        expect(encoder.encodeTable?.(whole)).toEqual(rows);
        expect(whole.ids).toEqual(ids);
      }),
    );
  });
});
