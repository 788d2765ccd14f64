import { createHash } from 'node:crypto';
import { DocumentTable, Double, type Value, withDefaults } from '@headrace/engine';
import { assertStageContract, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { Hash } from './hash.ts';

/** Returns the hash of some fields. */
async function hashOf(fields: Record<string, Value>, params: Record<string, unknown> = {}): Promise<unknown> {
  const all = { fields: ['a'], dest: 'h', ...params };
  const stage = new Hash(withDefaults(Hash.parameters, all), stageContext());
  await stage.start();
  const document = toDocument({ id: '1' });
  for (const [name, value] of Object.entries(fields)) document.set(name, value);
  stage.process(document);
  return document.get('h');
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Hash', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(Hash, { params: { fields: ['a'], dest: 'h' }, document: { id: '1', a: 'x' } });
    const params = { fields: ['a', 'b'], dest: 'h', algorithm: 'xxhash3' };
    await assertStageContract(Hash, { params, document: { id: '1', a: 'x', b: [1] } });
  });

  it.each([
    ['sha256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['xxhash64', '', 'ef46db3751d8e999'],
    ['xxhash64', 'abc', '44bc2cf5ad770999'],
    ['xxhash3', '', '2d06800538d394c2'],
    ['xxhash3', 'abc', '78af5f94892f3950'],
    ['xxhash128', '', '99aa06d3014798d86001c324468d497f'],
  ])('writes the %s of the text "%s"', async (algorithm, a, hash) => {
    expect(await hashOf({ a }, { algorithm })).toBe(hash);
  });

  it('writes hex, base64 and base64url', async () => {
    const bytes = createHash('sha256').update('zürich', 'utf8').digest();
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(await hashOf({ a: 'zürich' }, { encoding })).toBe(bytes.toString(encoding));
    }
    expect(await hashOf({ a: '' }, { encoding: 'base64', algorithm: 'xxhash64' })).toBe('70bbN1HY6Zk=');
  });

  it('hashes bytes as they are, and other values of one field as JSON', async () => {
    expect(await hashOf({ a: new TextEncoder().encode('abc') })).toBe(sha256('abc'));
    expect(await hashOf({ a: 12 })).toBe(sha256('12'));
    expect(await hashOf({ a: ['x', null] })).toBe(sha256('["x",null]'));
  });

  it('hashes several fields as JSON with sorted names', async () => {
    const expected = sha256('{"a":"x","b":{"c":[1,true],"d":2.5}}');
    const b = new Map<string, Value>([
      ['d', 2.5],
      ['c', [1, true]],
    ]);
    expect(await hashOf({ b, a: 'x', z: 'other' }, { fields: ['b', 'a'] })).toBe(expected);
    expect(await hashOf({ b, a: 'x' }, { fields: ['a', 'b', 'missing', 'a'] })).toBe(expected);
  });

  it('has different hashes for different values of several fields', async () => {
    const values: Record<string, Value>[] = [
      { a: 'x', b: 'y' },
      { a: 'xy', b: '' },
      { a: '', b: 'xy' },
      { a: 'x","b":"y' },
      { a: 'xy' },
      { b: 'xy' },
      { a: 'xy', b: null },
      { a: 'xy', b: 'null' },
      { a: 1 },
      { a: '1' },
      { a: new Double(1) },
      { a: true },
      { a: 'true' },
      { a: ['xy'] },
      { a: [] },
      { a: new Map() },
      { a: 'eHk=' },
      { a: new TextEncoder().encode('xy') },
      { a: Number.NaN },
      { a: 'NaN' },
    ];
    const hashes = await Promise.all(values.map((fields) => hashOf(fields, { fields: ['a', 'b'] })));
    expect(new Set(hashes).size).toBe(values.length);
  });

  it('does not change a document without the fields', async () => {
    expect(await hashOf({ h: 'old' })).toBe('old');
    expect(await hashOf({ h: 'old' }, { fields: ['a', 'b'] })).toBe('old');
  });

  it('writes the same hashes to tables', () => {
    const stage = new Hash(withDefaults(Hash.parameters, { fields: ['a', 'b'], dest: 'h' }), stageContext());
    const table = new DocumentTable(
      ['id', 'a'],
      [
        ['1', '2'],
        ['x', undefined],
      ],
      2,
      [false, true],
    );
    expect(stage.processTable(table)).toBe(true);
    expect(table.column('h')).toEqual([sha256('{"a":"x"}'), undefined]);
  });

  it('rejects wrong parameters', async () => {
    const wrong = (params: Record<string, unknown>) => runStage(Hash, { fields: ['a'], dest: 'h', ...params }, []);
    await expect(wrong({ fields: [] })).rejects.toThrow('fields must name at least one field');
    await expect(wrong({ dest: 'id' })).rejects.toThrow('dest');
    await expect(wrong({ algorithm: 'md5' })).rejects.toThrow('algorithm');
  });
});
