import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { AddRandomNestedField } from './add-random-nested-field.ts';

const one = { class: 'AddRandomInt', rangeStart: 1, rangeEnd: 2 };

async function run(params: Record<string, unknown>, document: Record<string, unknown>, context = stageContext()) {
  const [outcome] = await runStage(AddRandomNestedField, { targetField: 'out', ...params }, [document], context);
  return outcome?.error ?? JSON.parse(outcome?.documents[0] ?? '').out;
}

describe('AddRandomNestedField', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(AddRandomNestedField, {
      params: { targetField: 'out', numObjects: 3, entries: { 'a.b': 'list', n: 'g' }, generators: { g: one } },
      document: { id: '1', list: [{ x: 1 }] },
    });
  });

  it('copies the complete values of fields into the objects', async () => {
    const document = { id: '1', text: 'x', list: [1, [2]], object: { k: null } };
    expect(await run({ entries: { a: 'text', 'b.c': 'list', 'b.d': 'object' } }, document)).toEqual([
      { a: 'x', b: { c: [1, [2]], d: { k: null } } },
    ]);
  });

  it('generates a different value for each object', async () => {
    const generators = { g: { class: 'com.kmwllc.lucille.stage.AddRandomDouble' } };
    const objects = (await run({ numObjects: 9, entries: { n: 'g' }, generators }, { id: '1' })) as { n: number }[];
    expect(new Set(objects.map(({ n }) => n)).size).toBe(9);
  });

  it('prefers a field to the generator of the same name, in each document separately', async () => {
    const params = { targetField: 'out', entries: { n: 'g' }, generators: { g: one } };
    const outcomes = await runStage(AddRandomNestedField, params, [{ id: '1', g: 'field' }, { id: '2' }, { id: '3' }]);
    expect(outcomes.map(({ documents }) => JSON.parse(documents[0] as string).out)).toEqual([
      [{ n: 'field' }],
      [{ n: 1 }],
      [{ n: 1 }],
    ]);
  });

  it('ignores the name, fieldName and conditions of a generator', async () => {
    const generators = {
      g: {
        class: 'AddRandomString',
        rangeSize: '1',
        minNumOfTerms: 2,
        maxNumOfTerms: 2,
        name: 'x',
        fieldName: 'id',
        conditions: [{ fields: ['never'] }],
      },
    };
    expect(await run({ entries: { terms: 'g' }, generators }, { id: '1' })).toEqual([{ terms: ['0', '0'] }]);
  });

  it('writes a random number of objects', async () => {
    const lengths = new Set<number>();
    for (let i = 0; i < 200; i++) {
      const params = { minNumObjects: 1, maxNumObjects: 3, entries: { n: 'g' }, generators: { g: one } };
      lengths.add((await run(params, { id: '1' })).length);
    }
    expect([...lengths].sort()).toEqual([1, 2, 3]);
  });

  it('creates lists for indices in the path', async () => {
    const params = { entries: { 'list.0.a': 'x', 'list.1': 'y', ' padded ': 'x' } };
    expect(await run(params, { id: '1', x: 1, y: 2 })).toEqual([{ list: [{ a: 1 }, 2], padded: 1 }]);
  });

  it('adds entries to existing objects and keeps the other items of the list', async () => {
    const document = { id: '1', x: 1, out: [{ a: 0, x: 0 }, { b: 0 }, 'text'] };
    expect(await run({ numObjects: 2, entries: { x: 'x' } }, document)).toEqual([
      { a: 0, x: 1 },
      { b: 0, x: 1 },
      'text',
    ]);
    expect(await run({ entries: { x: 'x' } }, { id: '1', x: 1, out: null })).toEqual([{ x: 1 }]);
  });

  it('omits null values with a notice', async () => {
    const context = stageContext();
    expect(await run({ entries: { a: 'x', b: 'y' } }, { id: '1', x: null, y: 1 }, context)).toEqual([{ b: 1 }]);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'stage.unchanged',
        count: 1,
        examples: [{ document: '1', field: 'x', hint: expect.stringContaining('null') }],
      },
    ]);
    expect(await run({ numObjects: 2, entries: { a: 'x' } }, { id: '1', x: null })).toEqual([]);
  });

  it('leaves no gap if a generator makes no value for the first objects', async () => {
    const generators = { g: { class: 'AddRandomString', rangeSize: 1, minNumOfTerms: 0, maxNumOfTerms: 1 } };
    for (let i = 0; i < 50; i++) {
      const objects = await run({ numObjects: 5, entries: { t: 'g' }, generators }, { id: '1' });
      for (const object of objects as object[]) expect([{}, { t: '0' }]).toContainEqual(object);
    }
  });

  it('uses a dot in targetField literally', async () => {
    const [outcome] = await runStage(AddRandomNestedField, { targetField: 'a.b', entries: { n: 'x' } }, [
      { id: '1', x: 1 },
    ]);
    expect(outcome?.documents).toEqual(['{"id":"1","x":1,"a.b":[{"n":1}]}']);
  });

  it.each([
    [{ entries: { n: 'none' } }, {}, 'neither a field nor a generator "none"'],
    [{ entries: { n: 'x' } }, { out: 'text' }, 'holds a single value'],
    [{ entries: { n: 'x' } }, { out: { a: 1 } }, 'holds a single value'],
    [{ entries: { 'list.2': 'x' } }, {}, 'Cannot set index 2'],
    [{ entries: { 'a.b': 'x' } }, { out: [{ a: 1 }] }, 'does not fit'],
  ])('fails with the parameters %j on the fields %j', async (params, fields, message) => {
    expect(await run(params, { id: '1', x: 1, ...fields })).toContain(message);
  });

  const valid = { targetField: 'out', entries: { n: 'x' } };

  it.each([
    [{ entries: {} }, 'at least one entry'],
    [{ targetField: '' }, 'must not be empty'],
    [{ targetField: 'run_id' }, 'reserved'],
    [{ numObjects: 0 }, 'at least 1'],
    [{ minNumObjects: 1 }, 'minNumObjects is given without maxNumObjects'],
    [{ minNumObjects: 3, maxNumObjects: 2 }, 'more than'],
    [{ numObjects: 2, minNumObjects: 1, maxNumObjects: 2 }, 'together'],
    [{ entries: { 'a..b': 'x' } }, 'is not a place'],
    [{ entries: { ' ': 'x' } }, 'is not a place'],
    [{ entries: { a: 'x', 'a ': 'x' } }, 'more than one entry'],
    [{ generators: { g: { rangeSize: 1 } } }, 'has no class'],
    [{ generators: { g: 'AddRandomInt' } }, 'has no class'],
    [{ generators: { g: { class: 'TrimWhitespace' } } }, 'generators.g.class: TrimWhitespace cannot be a generator'],
    [{ generators: { g: { class: 'AddRandomInt', rangeStrat: 1 } } }, 'rangeStrat'],
    [{ generators: { g: { class: 'AddRandomInt', rangeStart: 1, rangeEnd: 1 } } }, 'generators.g.rangeEnd: The range'],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(AddRandomNestedField, { ...valid, ...params })).toThrow(message);
  });

  it('does not start if a generator does not start', async () => {
    const generators = { g: { class: 'AddRandomString', inputDataPath: './no/such/file' } };
    await expect(run({ entries: { n: 'g' }, generators }, { id: '1' })).rejects.toThrow('no/such/file');
  });
});
