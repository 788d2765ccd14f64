import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { AddRandomString } from './add-random-string.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(content: string | Uint8Array): string {
  const path = join(directory, 'terms.txt');
  writeFileSync(path, content);
  return path;
}

async function outputs(params: Record<string, unknown>, document: Record<string, unknown> = { id: '1' }) {
  const [outcome] = await runStage(AddRandomString, params, [document]);
  return outcome?.documents;
}

/** Returns the different terms that many documents get. */
async function termsOf(params: Record<string, unknown>, context = stageContext()): Promise<string[]> {
  const stage = makeStage(AddRandomString, params, context);
  await stage.start?.();
  const terms = new Set<string>();
  for (let i = 0; i < 1000; i++) {
    const document = toDocument({ id: '1' });
    stage.process(document);
    terms.add(document.get('data') as string);
  }
  return [...terms].sort();
}

describe('AddRandomString', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomString, { params: { rangeSize: 9 }, document: { id: '1' }, random: true });
  });

  it('writes every number below rangeSize as text', async () => {
    expect(await termsOf({ rangeSize: 3 })).toEqual(['0', '1', '2']);
  });

  it('writes every line of a file, without byte-order mark and line ends', async () => {
    expect(await termsOf({ inputDataPath: file('\ufeffa\r\nb c\n\nd\n') })).toEqual(['', 'a', 'b c', 'd']);
  });

  it('uses the same part of a file in every thread of a run', async () => {
    const inputDataPath = file(Array.from({ length: 50 }, (_, i) => `t${i}`).join('\n'));
    const params = { inputDataPath, rangeSize: 5 };
    const first = await termsOf(params, stageContext({ threadName: 'Worker-1' }));
    const second = await termsOf(params, stageContext({ threadName: 'Worker-2', threadNumber: 2 }));
    expect(first).toHaveLength(5);
    expect(second).toEqual(first);
    expect(await termsOf(params, stageContext({ runId: 'another' }))).not.toEqual(first);
  });

  it('writes between minNumOfTerms and maxNumOfTerms terms', () => {
    const stage = makeStage(AddRandomString, { rangeSize: 1, minNumOfTerms: 1, maxNumOfTerms: 3 });
    const lengths = new Set<number>();
    for (let i = 0; i < 1000; i++) {
      const document = toDocument({ id: '1' });
      stage.process(document);
      lengths.add(document.length('data'));
    }
    expect([...lengths].sort()).toEqual([1, 2, 3]);
  });

  const two = { rangeSize: 1, minNumOfTerms: 2, maxNumOfTerms: 2 };

  it.each([
    ['values', two, undefined, '["0","0"]'],
    ['values after others', two, ['x'], '["x","0","0"]'],
    ['a text', { ...two, concatenate: true }, undefined, '"0 0"'],
    ['a text after others', { ...two, concatenate: true }, 'x', '["x","0 0"]'],
    ['objects instead of others', { ...two, isNested: true }, 'x', '[{"data":"0"},{"data":"0"}]'],
    ['one object', { rangeSize: 1, isNested: true }, undefined, '[{"data":"0"}]'],
  ])('writes its terms as %s', async (_, params, data, written) => {
    const input = data === undefined ? { id: '1' } : { id: '1', data };
    expect(await outputs(params, input)).toEqual([`{"id":"1","data":${written}}`]);
  });

  it.each([
    ['nothing', {}, '{"id":"1"}'],
    ['an empty text', { concatenate: true }, '{"id":"1","data":""}'],
    ['an empty list', { isNested: true }, '{"id":"1","data":[]}'],
  ])('writes %s if there is no term', async (_, params, written) => {
    expect(await outputs({ rangeSize: 1, minNumOfTerms: 0, maxNumOfTerms: 0, ...params })).toEqual([written]);
  });

  it.each([
    [{}, 'rangeSize must be given'],
    [{ rangeSize: 0 }, 'at least 1'],
    [{ rangeSize: 1, minNumOfTerms: 1 }, 'minNumOfTerms is given without maxNumOfTerms'],
    [{ rangeSize: 1, maxNumOfTerms: 1 }, 'maxNumOfTerms is given without minNumOfTerms'],
    [{ rangeSize: 1, minNumOfTerms: 3, maxNumOfTerms: 2 }, 'more than'],
    [{ rangeSize: 1, minNumOfTerms: -1, maxNumOfTerms: 2 }, 'at least 0'],
    [{ rangeSize: 1, concatenate: true, isNested: true }, 'cannot both be true'],
    [{ rangeSize: 1, fieldName: 'id' }, 'reserved'],
    [{ inputDataPath: '' }, 'must not be empty'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomString, params)).toThrow(message);
  });

  it('does not start if the file is missing or empty', async () => {
    await expect(outputs({ inputDataPath: join(directory, 'none.txt') })).rejects.toThrow('ENOENT');
    await expect(outputs({ inputDataPath: file('') })).rejects.toThrow('it is empty');
  });

  it('does not start if the file has too few lines or is not UTF-8', async () => {
    await expect(outputs({ inputDataPath: file('a\nb\n'), rangeSize: 3 })).rejects.toThrow('it has 2 lines');
    expect(await outputs({ inputDataPath: file('a\na\n'), rangeSize: 2 })).toEqual(['{"id":"1","data":"a"}']);
    await expect(outputs({ inputDataPath: file(new Uint8Array([97, 0xff])) })).rejects.toThrow('cannot be used');
  });
});
