import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { NormalizeFieldNames } from './normalize-field-names.ts';

async function run(document: Record<string, unknown>, params: Record<string, unknown> = {}): Promise<string> {
  const [outcome] = await runStage(NormalizeFieldNames, params, [{ id: '1', ...document }]);
  return outcome?.error ?? (outcome?.documents[0] as string);
}

describe('NormalizeFieldNames', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(NormalizeFieldNames, { params: {}, document: { id: '1', 'a b': [1], 'a-b': 'x' } });
  });

  it('replaces blanks and removes characters other than letters, digits, underscores and full stops', async () => {
    expect(await run({ 'First  Name': 1, 'e-mail': 2, 'ok_1.x': 3, 'c\td': 4, größe: 5, '😀x': 6 })).toBe(
      '{"id":"1","First__Name":1,"email":2,"ok_1.x":3,"cd":4,"gre":5,"x":6}',
    );
  });

  it('uses delimiter and nonAlphanumReplacement', async () => {
    const params = { delimiter: '-', nonAlphanumReplacement: '..' };
    expect(await run({ 'a b-c😀': 1 }, params)).toBe('{"id":"1","a-b..c..":1}');
    expect(await run({ 'a b': 1 }, { delimiter: '' })).toBe('{"id":"1","ab":1}');
  });

  it.each([
    ['{"a":1,"a-":2}', '{"id":"1","a":2}'],
    ['{"a-":2,"a":1}', '{"id":"1","a":2}'],
    ['{"a-":1,"b":3,"a+":2}', '{"id":"1","a":2,"b":3}'],
    ['{"x y":1,"z":[2],"a":1,"a-":2}', '{"id":"1","x_y":1,"z":[2],"a":2}'],
  ])('replaces existing fields with renamed fields: %s', async (fields, expected) => {
    expect(await run(JSON.parse(fields))).toBe(expected);
  });

  it('does not change the names of reserved fields, of children and inside objects', async () => {
    const document = { run_id: 'r', 'o o': { 'a b': 1 }, ___children: [{ id: 'c', 'a b': 1 }] };
    expect(await run(document)).toBe('{"id":"1","run_id":"r","o_o":{"a b":1},"___children":[{"id":"c","a b":1}]}');
  });

  it('changes the names inside objects with nested: true', async () => {
    const document = {
      run_id: 'r',
      'o o': { 'a b': 1, 'c-d': { 'e f': [{ 'g h': 2 }, 'x y', [{ 'i j': null }]] }, id: 3, 'run id': 4, '': 5 },
      plain: { ok: 1 },
      ___children: [{ id: 'c', 'a b': 1 }],
    };
    expect(await run(document, { nested: true })).toBe(
      '{"id":"1","run_id":"r","o_o":{"a_b":1,"cd":{"e_f":[{"g_h":2},"x y",[{"i_j":null}]]},"id":3,"run_id":4,"":5},' +
        '"plain":{"ok":1},"___children":[{"id":"c","a b":1}]}',
    );
    expect(await run({ o: { '##': 1 } }, { nested: true })).toContain('Nothing is left of the field name "##"');
  });

  it('reports the fields that a renamed field replaces, also inside objects', async () => {
    const context = stageContext();
    const documents = [
      { id: '1', a: 'old', 'a-': 'new' },
      { id: '2', o: { a: 'old', 'a-': 'new' } },
      { id: '3', o: { 'a-': 'new', a: 'old' } },
    ];
    const outcomes = await runStage(NormalizeFieldNames, { nested: true }, documents, context);
    expect(outcomes.map(({ documents }) => documents[0])).toEqual([
      '{"id":"1","a":"new"}',
      '{"id":"2","o":{"a":"new"}}',
      '{"id":"3","o":{"a":"new"}}',
    ]);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'field.replaced',
        class: 'loss',
        count: 3,
        examples: [
          { document: '1', field: 'a', value: 'old' },
          { document: '2', field: 'o.a', value: 'old' },
          { document: '3', field: 'o.a', value: 'old' },
        ],
      },
    ]);
  });

  it.each([
    [{ '##': 1 }, 'Nothing is left of the field name "##"'],
    [{ 日本: 1 }, 'Nothing is left'],
    [{ 'run id': 1 }, 'would become run_id'],
  ])('fails on the fields %j', async (fields, message) => {
    expect(await run(fields)).toContain(message);
  });

  it('keeps the fields of documents independent after renaming', () => {
    const stage = makeStage(NormalizeFieldNames, {});
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f ${i}`, i]));
    for (const fields of [many, { 'a b': 1 }]) {
      const [first, second] = [toDocument({ id: '1', ...fields }), toDocument({ id: '2', ...fields })];
      stage.process(first);
      stage.process(second);
      first.set('new', 1);
      expect(second.has('new')).toBe(false);
      expect(first.fieldNames).toEqual([...second.fieldNames, 'new']);
      expect(first.get('new')).toBe(1);
    }
  });
});
