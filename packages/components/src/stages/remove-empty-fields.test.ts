import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { RemoveEmptyFields } from './remove-empty-fields.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(RemoveEmptyFields, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

describe('RemoveEmptyFields', () => {
  it('removes null, and empty texts, lists and objects', async () => {
    expect(await run({}, { id: '1', a: '', b: null, c: [], d: {}, e: 'x', f: ['', null, [], {}] })).toEqual([
      '{"id":"1","e":"x"}',
    ]);
  });

  it('keeps every value that is not empty', async () => {
    const document = '{"id":"1","a":" ","b":0,"c":false,"d":0.0,"e":{"x":null},"f":["","x"],"g":[null,1]}';
    expect(await run({}, document)).toEqual([document]);
  });

  it('does not change the fields of the engine', async () => {
    const document = '{"id":"1","run_id":"","___children":[]}';
    expect(await run({}, document)).toEqual([document]);
    const parent = '{"id":"1","___children":[{"id":"c","a":""}]}';
    expect(await run({}, parent)).toEqual([parent]);
  });

  it('removes fields with unusual names', async () => {
    expect(await run({}, '{"":"","id":"1","__proto__":""}')).toEqual(['{"id":"1"}']);
  });

  it('removes many empty fields from one document', async () => {
    const empty = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`e${i}`, i % 2 === 0 ? '' : 'x']));
    const [text] = await run({}, { id: '1', ...empty });
    expect(Object.keys(JSON.parse(text as string))).toHaveLength(21);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(RemoveEmptyFields, { params: {}, document: { id: '1', a: '', b: 'x' } }));
});
