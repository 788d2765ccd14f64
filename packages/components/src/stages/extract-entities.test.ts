import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { ExtractEntities } from './extract-entities.ts';

const folder = mkdtempSync(join(tmpdir(), 'extract-entities-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function file(content: string): string {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, content);
  return path;
}

const PLACES = file(
  'Rome,Italy\nNew York,USA\nYork,UK\nOman,Asia\nnew york city,USA city\nSão Paulo,Brasil\n東京,日本\nplain\n',
);

async function extract(value: unknown, overrides: Record<string, unknown> = {}): Promise<unknown> {
  const params = { dictionaries: [PLACES], source: ['a'], dest: ['b'], ...overrides };
  const [outcome] = await runStage(ExtractEntities, params, [{ id: '1', a: value }]);
  expect(outcome?.error).toBeUndefined();
  return (JSON.parse(outcome?.documents[0] as string) as { b?: unknown }).b;
}

const terms = (rows: string, options: Record<string, unknown> = {}) => ({ dictionaries: [file(rows)], ...options });

describe('ExtractEntities', () => {
  it('satisfies the stage contract', async () => {
    const params = { dictionaries: [PLACES], source: ['a'], dest: ['b'], entityField: 'c' };
    await assertStageContract(ExtractEntities, { params, document: { id: '1', a: ['Rome', 'New York'] } });
  });

  it.each([
    ['in Rome', 'Italy'],
    ['Romeo, rOman, Rome!', 'Italy'],
    ['Rome1 1Rome Rome_x', ['Italy', 'Italy', 'Italy']],
    ['in New York today', ['USA', 'UK']],
    ['New  York', 'UK'],
    ['rome', undefined],
    ['東京', '日本'],
    ['東京都', undefined],
    ['שלום Rome مرحبا', 'Italy'],
    ['😀Rome😀', 'Italy'],
    ['Rome\u0301', 'Italy'],
    ['', undefined],
    [null, undefined],
    [{ x: 'Rome' }, undefined],
    [
      ['York', null, 7, 'Rome'],
      ['UK', 'Italy'],
    ],
  ])('writes for the text %j the payloads %j', async (value, expected) => {
    expect(await extract(value)).toEqual(expected);
  });

  it('writes matches by their end, then by term', async () => {
    const options = terms('a b c\nb c\nc\na\nb\n');
    expect(await extract('a b c', options)).toEqual(['a', 'b', 'a b c', 'b c', 'c']);
  });

  it('finds terms inside words if onlyWholeWords is false', async () => {
    const options = { onlyWholeWords: false };
    expect(await extract('Romeo in Yorkshire', options)).toEqual(['Italy', 'UK']);
    expect(await extract('東京都', options)).toBe('日本');
    expect(await extract('ababab', terms('ab\nbab\nababa\n', options))).toEqual([
      'ab',
      'ab',
      'bab',
      'ababa',
      'ab',
      'bab',
    ]);
  });

  it('requires white space on both sides if onlyWhitespaceSeparated is true', async () => {
    const options = { onlyWhitespaceSeparated: true };
    expect(await extract('Rome, York Oman', options)).toEqual(['UK', 'Asia']);
    expect(await extract('Rome\tYork\u00a0x', options)).toBe('Italy');
    expect(await extract('xRome, Oman', { ...options, onlyWholeWords: false })).toBe('Asia');
    expect(await extract('Rome, Oman York', { ...options, stopOnHit: true })).toBe('Asia');
  });

  it('writes all terms that differ only in case if ignoreCase is true', async () => {
    const options = { ignoreCase: true, usePayloads: false };
    expect(await extract('ROME and SÃO PAULO', options)).toEqual(['Rome', 'São Paulo']);
    expect(await extract('it', terms('It\nIT\nit\nIT\n', options))).toEqual(['IT', 'It', 'it']);
    expect(await extract('İZMİR', terms('izmir\n', options))).toBe('izmir');
    expect(await extract('ΟΔΟΣ ΟΔΟΣ1', terms('οδοσ\n', options))).toEqual(['οδοσ', 'οδοσ']);
  });

  it('prefers longer, then earlier matches if ignoreOverlaps is true', async () => {
    const options = { ignoreOverlaps: true };
    expect(await extract('in New York today', options)).toBe('USA');
    const greek = 'alpha beta\nbeta gamma delta\ngamma\n';
    expect(await extract('alpha beta gamma delta gamma', terms(greek, options))).toEqual(['beta gamma delta', 'gamma']);
    expect(await extract('a b c', terms('a b\nb c\n', options))).toBe('a b');
    expect(await extract('it', terms('It\nIT\n', { ...options, ignoreCase: true }))).toBe('IT');
  });

  it('stops at the first match of each value if stopOnHit is true', async () => {
    const options = { stopOnHit: true };
    expect(await extract(['Rome, York', 'xYork Oman'], options)).toEqual(['Italy', 'Asia']);
    expect(await extract('New York, Rome', { ...options, ignoreOverlaps: true })).toBe('USA');
    expect(await extract('a b c', terms('a b c\nb\nb c\n', options))).toBe('b');
  });

  it('writes payloads, also empty payloads, and the terms to entityField', async () => {
    const params = {
      dictionaries: [file('k,\nx,one,two\n,nothing\nx,other\n')],
      source: ['a'],
      dest: ['b'],
      entityField: 'c',
    };
    const [outcome] = await runStage(ExtractEntities, params, [{ id: '1', a: 'k x' }]);
    expect(outcome?.documents).toEqual(['{"id":"1","a":"k x","b":["","one"],"c":["k","x"]}']);
    expect(await extract('k x', { ...params, usePayloads: false })).toEqual(['k', 'x']);
  });

  it('uses the first of equal terms in several dictionaries', async () => {
    const dictionaries = [PLACES, file('Lyon,France\nRome,again\n')];
    expect(await extract('Rome and Lyon', { dictionaries })).toEqual(['Italy', 'France']);
    expect(await extract('Rome', { dictionaries: [file('')] })).toBeUndefined();
  });

  it('writes several sources to one destination', async () => {
    const params = { dictionaries: [PLACES], source: ['a', 'c'], dest: ['b'] };
    const document = { id: '1', a: 'Rome', c: 'York' };
    const [last] = await runStage(ExtractEntities, params, [document]);
    expect(last?.documents).toEqual(['{"id":"1","a":"Rome","c":"York","b":"UK"}']);
    const [all] = await runStage(ExtractEntities, { ...params, updateMode: 'append' }, [document]);
    expect(all?.documents).toEqual(['{"id":"1","a":"Rome","c":"York","b":["Italy","UK"]}']);
  });

  it('searches texts of several megabytes', async () => {
    const text = `${'lorem ipsum '.repeat(200_000)}Rome`;
    expect(await extract(text)).toBe('Italy');
    expect(await extract('a'.repeat(100_000), { onlyWholeWords: false })).toBeUndefined();
  });

  it.each([
    [{ source: ['a', 'b', 'c'], dest: ['x', 'y'] }, 'source has 3 fields and dest 2'],
    [{ dictionaries: [] }, 'at least one file'],
    [{ dictionaries: ['gs://bucket/x.csv'] }, 'need the block gcp'],
    [{ entityField: 'run_id' }, 'reserved'],
  ])('refuses the parameters %j', (wrong, message) => {
    const params = { dictionaries: [PLACES], source: ['a'], dest: ['b'], ...wrong };
    expect(() => makeStage(ExtractEntities, params)).toThrow(message);
  });

  it('does not start without its dictionaries and names all missing files', async () => {
    const dictionaries = [join(folder, 'none.csv'), PLACES, join(folder, 'gone.csv')];
    await expect(extract('x', { dictionaries })).rejects.toThrow(/none\.csv.*; .*gone\.csv/);
  });
});
