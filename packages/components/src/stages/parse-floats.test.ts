import { assertStageContract, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ParseFloats } from './parse-floats.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(ParseFloats, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('ParseFloats', () => {
  it('writes numbers of single precision to the end of the document', async () => {
    expect(await run({ field: 'f' }, { id: '1', f: '[0.1234567890123, 16777217, 1, -2.5e-3]', a: 1 })).toEqual([
      '{"id":"1","a":1,"f":[0.12345679,1.6777216E7,1.0,-0.0025]}',
    ]);
  });

  it('writes a list even for one number, and nothing for an empty list', async () => {
    expect(await run({ field: 'f' }, { id: '1', f: '[1]' }, { id: '2', f: ' [ ] ' })).toEqual([
      '{"id":"1","f":[1.0]}',
      '{"id":"2"}',
    ]);
  });

  it('replaces the value of another destination field', async () => {
    expect(await run({ field: 'f', dest: 'v' }, { id: '1', f: '[1]', v: 'old' }, { id: '2', v: 'old' })).toEqual([
      '{"id":"1","f":"[1]","v":[1.0]}',
      '{"id":"2","v":"old"}',
    ]);
  });

  it('accepts numbers in quotes, null, and text after the list', async () => {
    expect(await run({ field: 'f' }, { id: '1', f: '["1.5", " +2 ", ".5", "", null] rest' })).toEqual([
      '{"id":"1","f":[1.5,2.0,0.5,null,null]}',
    ]);
    expect(await run({ field: 'f' }, { id: '1', f: ['[1]', '[2]'] })).toEqual(['{"id":"1","f":[1.0]}']);
  });

  it('does not change the document if the text is not a list of numbers, and logs a warning', async () => {
    const texts = [
      '1, 2',
      '["x"]',
      '',
      '{"a":1}',
      '5',
      '[[1]]',
      '[true]',
      '[1,]',
      '[NaN]',
      '["NaN"]',
      '[3.4e39]',
      'null',
    ];
    const documents = texts.map((f, i) => JSON.stringify({ id: `${i}`, f }));
    const context = stageContext();
    const outcomes = await runStage(ParseFloats, { field: 'f' }, documents, context);
    expect(outcomes.map((outcome) => outcome.documents[0])).toEqual(documents);
    expect(context.collector.list()).toMatchObject([{ code: 'stage.unchanged', count: texts.length }]);
    const [last] = documents.slice(-2);
    const alone = stageContext();
    await runStage(ParseFloats, { field: 'f' }, [last as string], alone);
    expect(alone.collector.list()[0]?.examples).toEqual([
      {
        document: `${texts.length - 2}`,
        field: 'f',
        value: '[3.4e39]',
        hint: 'Not a list of numbers: Value 1 is not a number of single precision',
      },
    ]);
  });

  it('ignores missing, null and empty fields without a warning', async () => {
    const documents = ['{"id":"1"}', '{"id":"2","f":null}', '{"id":"3","f":[]}'];
    const context = stageContext();
    const outcomes = await runStage(ParseFloats, { field: 'f' }, documents, context);
    expect(outcomes.map((outcome) => outcome.documents[0])).toEqual(documents);
    expect(context.collector.list()).toEqual([]);
  });

  it('refuses to write reserved fields', async () => {
    await expect(run({ field: 'id' })).rejects.toThrow('field names id');
    await expect(run({ field: 'a', dest: 'id' })).rejects.toThrow('dest names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ParseFloats, { params: { field: 'f' }, document: { id: '1', f: '[1, 2.5]' } }));
});
