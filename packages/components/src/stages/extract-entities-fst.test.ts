import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { ExtractEntitiesFST } from './extract-entities-fst.ts';

const folder = mkdtempSync(join(tmpdir(), 'extract-entities-fst-'));
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
  const [outcome] = await runStage(ExtractEntitiesFST, params, [{ id: '1', a: value }]);
  expect(outcome?.error).toBeUndefined();
  return (JSON.parse(outcome?.documents[0] as string) as { b?: unknown }).b;
}

const terms = (rows: string, options: Record<string, unknown> = {}) => ({ dictionaries: [file(rows)], ...options });

describe('ExtractEntitiesFST', () => {
  it('satisfies the stage contract', async () => {
    const params = { dictionaries: [PLACES], source: ['a'], dest: ['b'], entityField: 'c' };
    await assertStageContract(ExtractEntitiesFST, { params, document: { id: '1', a: ['Rome', 'New York'] } });
  });

  it.each([
    ['Romeo, rOman, Rome!', 'Italy'],
    ['Rome1 1Rome Rome_x', ['Italy', 'Italy', 'Italy']],
    ['in New York today', ['USA', 'UK']],
    ['東京', '日本'],
    ['東京都', undefined],
    ['\u{1d400}Rome', undefined],
    ['Rome\u{1d400}', undefined],
    ['😀Rome😀', 'Italy'],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
    [
      ['York', null, 'Rome'],
      ['UK', 'Italy'],
    ],
  ])('writes for the text %j the payloads %j', async (value, expected) => {
    expect(await extract(value)).toEqual(expected);
  });

  it('writes matches by their start, shorter ones first', async () => {
    expect(await extract('a b c', terms('a b c\nb c\nc\na\nb\n'))).toEqual(['a', 'a b c', 'b', 'b c', 'c']);
  });

  it('finds emoji and terms with other symbols', async () => {
    const options = terms('😀,smile\n#1,first\nC++,language\n👩‍🚀,astronaut\n');
    expect(await extract('so 😀 happy', options)).toBe('smile');
    expect(await extract('x😀', options)).toBeUndefined();
    expect(await extract('C++ is #1, a#1 👩‍🚀', options)).toEqual(['language', 'first', 'astronaut']);
  });

  it('uses the longest match from left to right if ignoreOverlaps is true', async () => {
    const greek = 'alpha beta\nbeta gamma delta\ngamma\nalpha\n';
    expect(await extract('alpha beta gamma delta', terms(greek, { ignoreOverlaps: true }))).toEqual([
      'alpha beta',
      'gamma',
    ]);
    expect(await extract('aaaa', terms('a\naa\n', { ignoreOverlaps: true, onlyWholeWords: false }))).toEqual([
      'aa',
      'aa',
    ]);
  });

  it('writes terms in lower case and ignores case variants if ignoreCase is true', async () => {
    const options = { ignoreCase: true };
    expect(await extract('in NEW YORK CITY', options)).toEqual(['USA', 'USA city', 'UK']);
    expect(await extract('PLAIN', options)).toBe('plain');
    expect(await extract('It', terms('IT,one\nit,two\n', options))).toBe('one');
    expect(await extract('İZMIR, x', terms('İzmir\nX\n', options))).toEqual(['i̇zmir', 'x']);
    expect(await extract('ΟΔΟΣ', terms('Οδός\nοδος\n', options))).toBe('οδος');
  });

  it('stops at the first place with a match in the whole field if stopOnHit is true', async () => {
    const options = { stopOnHit: true };
    expect(await extract(['none', 'York Rome', 'Oman'], options)).toBe('UK');
    expect(await extract('New York, Rome', terms('New,1\nNew York,2\nYork,3\n', options))).toEqual(['1', '2']);
    expect(await extract('New York', terms('New,1\nNew York,2\n', { ...options, ignoreOverlaps: true }))).toBe('2');
  });

  it('supports empty and unsorted dictionaries', async () => {
    expect(await extract('Rome', terms(''))).toBeUndefined();
    expect(await extract('b a', terms('b\na\n', { dictsSorted: true }))).toEqual(['b', 'a']);
  });

  it.each([
    [{ dest: ['x', 'y'] }, 'source has 1 field and dest 2'],
    [{ dictionaries: [] }, 'at least one file'],
    [{ onlyWhitespaceSeparated: true }, 'onlyWhitespaceSeparated'],
  ])('refuses the parameters %j', (wrong, message) => {
    const params = { dictionaries: [PLACES], source: ['a'], dest: ['b'], ...wrong };
    expect(() => makeStage(ExtractEntitiesFST, params)).toThrow(message);
  });
});
