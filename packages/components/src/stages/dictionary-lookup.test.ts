import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { DictionaryLookup } from './dictionary-lookup.ts';

const folder = mkdtempSync(join(tmpdir(), 'dictionary-lookup-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, content);
  return path;
}

const FRUIT = file('\ufeffapple,fruit,red\nCarrot,vegetable\nplain\n"quoted, ""term""",q\n spaced , s \nempty,,x\n');
const SET = file('red\ngreen\nBlue\n');

async function look(document: Record<string, unknown>, overrides: Record<string, unknown> = {}): Promise<unknown> {
  const params = { source: ['a'], dest: ['b'], dictPath: FRUIT, ...overrides };
  const [outcome] = await runStage(DictionaryLookup, params, [{ id: '1', ...document }]);
  expect(outcome?.error).toBeUndefined();
  const { id, ...fields } = JSON.parse(outcome?.documents.at(-1) as string) as Record<string, unknown>;
  return fields;
}

describe('DictionaryLookup', () => {
  it('satisfies the stage contract', async () => {
    const params = { source: ['a'], dest: ['b'], dictPath: FRUIT };
    await assertStageContract(DictionaryLookup, { params, document: { id: '1', a: ['apple', 'plain'] } });
    const set = { source: ['a'], dest: ['b'], dictPath: SET, setOnly: true };
    await assertStageContract(DictionaryLookup, { params: set, document: { id: '1', a: 'red' } });
  });

  it.each([
    ['apple', ['fruit', 'red']],
    ['Carrot', 'vegetable'],
    ['plain', 'plain'],
    ['quoted, "term"', 'q'],
    ['spaced', 's'],
    ['empty', ['', 'x']],
    [
      ['plain', 'none', 'apple'],
      ['plain', 'fruit', 'red'],
    ],
  ])('writes the payloads of %j', async (value, expected) => {
    expect(await look({ a: value })).toEqual({ a: value, b: expected });
  });

  it.each([[null], ['carrot'], [[]], [{ x: 1 }], [7]])(
    'keeps the destination if the dictionary does not have %j',
    async (value) => {
      expect(await look({ a: value, b: 'old' })).toEqual({ a: value, b: 'old' });
      expect(await look({ a: value })).toEqual({ a: value });
    },
  );

  it('looks up numbers, long integers and booleans as texts', async () => {
    const dictPath = file('5,five\n1.0,one\ntrue,yes\n9007199254740993,long\n');
    expect(await look({ a: [5, true] }, { dictPath })).toEqual({ a: [5, true], b: ['five', 'yes'] });
    const params = { source: ['a'], dest: ['b'], dictPath };
    const [outcome] = await runStage(DictionaryLookup, params, ['{"id":"1","a":[1.0,9007199254740993]}']);
    expect(outcome?.documents).toEqual(['{"id":"1","a":[1.0,9007199254740993],"b":["one","long"]}']);
  });

  it('uses the last of equal keys, and writes the value if usePayloads is false', async () => {
    const dictPath = file('k,one\nK,two,more\nk,three\n');
    expect(await look({ a: 'k' }, { dictPath })).toEqual({ a: 'k', b: 'three' });
    expect(await look({ a: 'K' }, { dictPath, ignoreCase: true })).toEqual({ a: 'K', b: 'three' });
    expect(await look({ a: 'K' }, { dictPath, ignoreCase: true, usePayloads: false })).toEqual({ a: 'K', b: 'k' });
  });

  it('writes a key without payloads in its spelling of the file if ignoreCase is true', async () => {
    expect(await look({ a: 'BLUE' }, { dictPath: SET, ignoreCase: true })).toEqual({ a: 'BLUE', b: 'Blue' });
  });

  it('supports keys of all scripts, emoji and very long keys', async () => {
    const long = 'ä'.repeat(100_000);
    const dictPath = file(`東京,日本\n😀,smile\nשלום,peace\ne\u0301,decomposed\n${long},long\n`);
    const a = ['東京', '😀', 'שלום', 'é', 'e\u0301', long];
    expect(await look({ a }, { dictPath })).toEqual({ a, b: ['日本', 'smile', 'peace', 'decomposed', 'long'] });
  });

  it('skips rows that are not UTF-8 and logs their lines', async () => {
    const dictPath = file(Buffer.from('b2ssMQpjYWbpLDIKbGFzdCwzCg==', 'base64'));
    const context = stageContext();
    const params = { source: ['a'], dest: ['b'], dictPath };
    const [outcome] = await runStage(DictionaryLookup, params, [{ id: '1', a: ['ok', 'last', 'caf\ufffd'] }], context);
    expect(JSON.parse(outcome?.documents[0] as string).b).toEqual(['1', '3']);
    expect(context.logged).toEqual([expect.stringContaining(':2: the row is not UTF-8')]);
  });

  it('writes several sources to one destination', async () => {
    const params = { source: ['a', 'c'], dest: ['b'] };
    const document = { a: 'plain', c: 'Carrot', d: 1 };
    expect(await look(document, params)).toEqual({ ...document, b: 'vegetable' });
    expect(await look(document, { ...params, updateMode: 'append' })).toEqual({
      ...document,
      b: ['plain', 'vegetable'],
    });
    expect(await look({ ...document, c: 'x' }, params)).toEqual({ ...document, c: 'x', b: 'plain' });
  });

  describe('with setOnly', () => {
    const set = { dictPath: SET, setOnly: true };

    it.each([
      ['red', {}, true],
      [['red', 'green'], {}, true],
      [['red', 'pink'], {}, false],
      [['pink', 'red'], { useAnyMatch: true }, true],
      [['pink', null], { useAnyMatch: true }, false],
      [null, {}, false],
      [[], {}, true],
      [[], { useAnyMatch: true }, true],
      ['blue', {}, false],
      ['blue', { ignoreCase: true }, true],
    ])('writes for %j with %j the result %s', async (value, options, expected) => {
      expect(await look({ a: value }, { ...set, ...options })).toEqual({ a: value, b: expected });
    });

    it('uses ignoreMissingSource for a missing source', async () => {
      expect(await look({}, set)).toEqual({ b: false });
      expect(await look({}, { ...set, ignoreMissingSource: true })).toEqual({ b: true });
    });

    it('combines the sources of one destination, and writes every destination', async () => {
      const many = { ...set, source: ['a', 'c'], dest: ['b'] };
      expect(await look({ a: 'red', c: 'pink' }, many)).toMatchObject({ b: false });
      expect(await look({ a: 'red', c: 'pink' }, { ...many, useAnyMatch: true })).toMatchObject({ b: true });
      expect(await look({ a: 'pink', c: 'pink' }, { ...many, useAnyMatch: true })).toMatchObject({ b: false });
      const each = { ...set, source: ['a', 'c'], dest: ['x', 'y'], useAnyMatch: true };
      expect(await look({ a: 'red', c: 'pink' }, each)).toMatchObject({ x: true, y: false });
    });

    it('refuses a dictionary with payloads', async () => {
      await expect(look({}, { dictPath: FRUIT, setOnly: true })).rejects.toThrow('"apple" has 3 cells');
    });
  });

  it.each([
    [{ dictPath: join(folder, 'none.csv') }, /none\.csv/],
    [{ dictPath: file('a,b\n"c,d\ne') }, /line 2 is opened but never closed/],
  ])('does not start with %j', async (overrides, message) => {
    await expect(look({}, overrides)).rejects.toThrow(message);
  });

  it.each([
    [{ source: ['a', 'b', 'c'], dest: ['x', 'y'] }, 'source has 3 fields and dest 2'],
    [{ dest: ['id'] }, 'reserved'],
    [{ dictPath: 's3://bucket/x.csv' }, 'need the block s3'],
    [{ dictPath: 'ftp://host/x.csv' }, 'no storage for ftp'],
    [{ dictPath: '' }, 'it is empty'],
    [{ setOnly: true, updateMode: 'append' }, 'must be "overwrite"'],
    [{ updateMode: 'add' }, 'updateMode'],
  ])('refuses the parameters %j', (wrong, message) => {
    const params = { source: ['a'], dest: ['b'], dictPath: FRUIT, ...wrong };
    expect(() => makeStage(DictionaryLookup, params)).toThrow(message);
  });
});
