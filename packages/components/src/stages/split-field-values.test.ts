import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { SplitFieldValues } from './split-field-values.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(SplitFieldValues, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

async function split(delimiter: string, text: unknown, trimWhitespace = false): Promise<unknown> {
  const params = { inputField: 'a', outputField: 'b', delimiter, trimWhitespace };
  const [out] = await run(params, { id: '1', a: text });
  return (JSON.parse(out as string) as { b?: unknown }).b;
}

describe('SplitFieldValues', () => {
  it('splits at a Java regular expression', async () => {
    expect(await split(',', 'x,y')).toEqual(['x', 'y']);
    expect(await split('\\s*[;|]\\s*', 'one ; two|three')).toEqual(['one', 'two', 'three']);
    expect(await split('(?=[A-Z])', 'helloWorldAgain')).toEqual(['hello', 'World', 'Again']);
    expect(await split('(-)', 'a-b')).toEqual(['a', 'b']);
    expect(await split('', 'a😀')).toEqual(['a', '😀']);
  });

  it('removes empty pieces only at the end', async () => {
    expect(await split(',', 'x,,y,,')).toEqual(['x', '', 'y']);
    expect(await split(',', ',x')).toEqual(['', 'x']);
    expect(await split(',', '')).toEqual(['']);
    expect(await split(',', ',,')).toBeUndefined();
  });

  it('trims pieces if trimWhitespace is true, and keeps empty pieces', async () => {
    expect(await split(',', ' x ,\u00a0y\t, ', true)).toEqual(['x', '\u00a0y', '']);
    expect(await split(',', ' x ,y')).toEqual([' x ', 'y']);
  });

  it('splits every value, and numbers and booleans as texts', async () => {
    expect(await split(',', ['a,b', 'c', 1.5, null, { x: ',' }])).toEqual(['a', 'b', 'c', '1.5', { x: ',' }]);
    expect(await split('u', true)).toEqual(['tr', 'e']);
  });

  it('adds the pieces to existing values of the output', async () => {
    const params = { inputField: 'a', outputField: 'b', delimiter: ',', trimWhitespace: true };
    expect(
      await run(
        params,
        { id: '1', a: 'x,y', b: 0 },
        { id: '2', a: 'x', b: [] },
        { id: '3', a: 'x' },
        { id: '4', b: 0 },
      ),
    ).toEqual([
      '{"id":"1","a":"x,y","b":[0,"x","y"]}',
      '{"id":"2","a":"x","b":["x"]}',
      '{"id":"3","a":"x","b":["x"]}',
      '{"id":"4","b":0}',
    ]);
  });

  it('replaces the values if input and output are the same field', async () => {
    const params = { inputField: 'a', outputField: 'a', delimiter: ';', trimWhitespace: true };
    expect(
      await run(
        params,
        { id: '1', a: 'x;y', b: 1 },
        { id: '2', a: ';' },
        { id: '3', a: null },
        { id: '4', a: ['x', null] },
      ),
    ).toEqual(['{"id":"1","b":1,"a":["x","y"]}', '{"id":"2"}', '{"id":"3","a":null}', '{"id":"4","a":["x"]}']);
  });

  it('refuses an invalid delimiter and reserved outputs', async () => {
    const params = { inputField: 'a', outputField: 'b', delimiter: ',', trimWhitespace: true };
    await expect(run({ ...params, delimiter: '(' })).rejects.toThrow('delimiter is not a regular expression');
    await expect(run({ ...params, outputField: 'id' })).rejects.toThrow('outputField names id');
  });

  it('warns about delimiters that do not match their own text', () => {
    const problems = [
      ...SplitFieldValues.check({ inputField: 'a', outputField: 'b', delimiter: '|', trimWhitespace: true }),
    ];
    expect(problems).toEqual([
      {
        parameter: 'delimiter',
        message: 'delimiter "|" does not match the text "|"',
        hint: expect.stringContaining('\\Q|\\E'),
        severity: 'warning',
      },
    ]);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(SplitFieldValues, {
      params: { inputField: 'a', outputField: 'b', delimiter: ',', trimWhitespace: true },
      document: { id: '1', a: ['x,y', { z: [] }] },
    }));
});
