import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { TruncateField } from './truncate-field.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(TruncateField, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

describe('TruncateField', () => {
  it('cuts a text that is longer than maxSize', async () => {
    expect(
      await run({ source: 'a', maxSize: 3 }, { id: '1', a: 'abcdef' }, { id: '2', a: 'abc' }, { id: '3' }),
    ).toEqual(['{"id":"1","a":"abc"}', '{"id":"2","a":"abc"}', '{"id":"3"}']);
    expect(await run({ source: 'a', maxSize: 0 }, { id: '1', a: 'abc' })).toEqual(['{"id":"1","a":""}']);
  });

  it('replaces the previous value of the destination', async () => {
    expect(await run({ source: 'a', maxSize: 3, destination: 'b' }, { id: '1', a: 'abcdef', b: ['old', 'x'] })).toEqual(
      ['{"id":"1","a":"abcdef","b":"abc"}'],
    );
  });

  it('cuts every value of a list', async () => {
    expect(await run({ source: 'a', maxSize: 2 }, { id: '1', a: ['abc', 'def', 'g'] })).toEqual([
      '{"id":"1","a":["ab","de","g"]}',
    ]);
  });

  it('cuts numbers as texts', async () => {
    expect(await run({ source: 'a', maxSize: 2 }, { id: '1', a: 12345 })).toEqual(['{"id":"1","a":"12"}']);
  });

  it('never keeps half of a surrogate pair', async () => {
    expect(
      await run({ source: 'a', maxSize: 2 }, { id: '1', a: 'a😀b' }, { id: '2', a: '😀b' }, { id: '3', a: 'a\ud83db' }),
    ).toEqual(['{"id":"1","a":"a"}', '{"id":"2","a":"😀"}', '{"id":"3","a":"a\\ud83d"}']);
  });

  it('does not change null and objects', async () => {
    const documents = ['{"id":"1","a":null}', '{"id":"2","a":{"x":"long"}}', '{"id":"3","a":[]}'];
    expect(await run({ source: 'a', maxSize: 1 }, ...documents)).toEqual(documents);
  });

  it('accepts a size in quotes and refuses a negative size', async () => {
    expect(await run({ source: 'a', maxSize: '2' }, { id: '1', a: 'abc' })).toEqual(['{"id":"1","a":"ab"}']);
    await expect(run({ source: 'a', maxSize: -1 })).rejects.toThrow('maxSize must be at least 0');
  });

  it('refuses to write reserved fields', async () => {
    await expect(run({ source: 'id', maxSize: 1 })).rejects.toThrow('source names id');
    await expect(run({ source: 'a', maxSize: 1, destination: 'id' })).rejects.toThrow('destination names id');
    expect(await run({ source: 'id', maxSize: 1, destination: 'b' }, { id: 'xy' })).toEqual(['{"id":"xy","b":"x"}']);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(TruncateField, {
      params: { source: 'a', maxSize: 1, destination: 'b' },
      document: { id: '1', a: ['xy', { z: [1] }] },
    }));
});
