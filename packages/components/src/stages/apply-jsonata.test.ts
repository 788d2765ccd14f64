import { Document } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ApplyJSONata } from './apply-jsonata.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(ApplyJSONata, params, documents)).map(({ documents, error }) => error ?? documents.join('\n'));
}

describe('ApplyJSONata', () => {
  it('replaces the destination with the result and preserves its type', async () => {
    const params = { expression: 'items.n', source: 'a', destination: 'b' };
    expect(
      await run(
        params,
        '{"id":"1","a":{"items":[{"n":1.0},{"n":9007199254740993}]},"b":"old"}',
        '{"id":"2","a":{"items":[{"n":{"x":[null]}}]}}',
        '{"id":"3","a":{"items":[]},"b":"kept"}',
        '{"id":"4"}',
      ),
    ).toEqual([
      '{"id":"1","a":{"items":[{"n":1.0},{"n":9007199254740993}]},"b":[1.0,9007199254740993]}',
      '{"id":"2","a":{"items":[{"n":{"x":[null]}}]},"b":{"x":[null]}}',
      '{"id":"3","a":{"items":[]},"b":"kept"}',
      '{"id":"4"}',
    ]);
  });

  it('uses the Java syntax for regular expressions', async () => {
    const params = { expression: '[$replace($, /[a-c&&[^b]]/, "<$0>"), $match($, /\\p{Lower},b/).match]', source: 'a' };
    expect(await run(params, { id: '1', a: 'a,b;c' })).toEqual(['{"id":"1","a":["<a>,b;<c>","a,b"]}']);
  });

  it('writes to the source if no destination is set', async () => {
    expect(await run({ expression: '$.($ * 2)', source: 'a' }, { id: '1', a: [1, 2.5, 3] }, { id: '2', a: 2 })).toEqual(
      ['{"id":"1","a":[2,5,6]}', '{"id":"2","a":4}'],
    );
  });

  it('uses a path only if no field has exactly this name', async () => {
    expect(
      await run(
        { expression: '$ & "!"', source: 'a.b' },
        { id: '1', a: { b: 'x' } },
        { id: '2', 'a.b': 'y' },
        { id: '3', a: 1 },
      ),
    ).toEqual(['{"id":"1","a":{"b":"x!"}}', '{"id":"2","a.b":"y!"}', '{"id":"3","a":1}']);
    expect(await run({ expression: '$ + 1', source: 'a', destination: 'b.c[0]' }, { id: '1', a: 1 })).toEqual([
      '{"id":"1","a":1,"b":{"c":[2]}}',
    ]);
  });

  it('replaces the whole document except reserved fields', async () => {
    const params = { expression: '{"n": $count($keys($)), "old": a, "___dropped": d}' };
    expect(
      await run(
        params,
        '{"id":"1","run_id":"r","a":1.0,"b":2}',
        '{"id":"2","d":true}',
        '{"id":"3","___children":[{"id":"c"}]}',
      ),
    ).toEqual([
      '{"id":"1","run_id":"r","n":4,"old":1.0}',
      '{"id":"2","n":2,"___dropped":true}',
      '{"id":"3","___children":[{"id":"c"}],"n":2}',
    ]);
    expect(await run({ expression: '$merge([$, {"x": 1}])' }, { id: '1', a: [1] })).toEqual([
      '{"id":"1","a":[1],"x":1}',
    ]);
  });

  it('reads bytes as base64 text', async () => {
    const stage = makeStage(ApplyJSONata, { expression: '{"text": $base64decode(bytes), "same": bytes}' });
    await stage.start?.();
    const document = Document.create('1');
    document.set('bytes', Buffer.from('é'));
    await stage.process(document);
    expect(document.toJson()).toBe('{"id":"1","text":"é","same":"w6k="}');
  });

  it('does not change documents if the expression fails, and logs the full reason once', async () => {
    for (const [expression, reason] of [
      ['a + 1', /left side of the "\+" operator must evaluate to a number/],
      ['$error("no")', /no/],
      ['{"id": "other"}', /the result changes id, which is a reserved field/],
      ['[1, 2]', /the result must be an object/],
      ['{"": 1}', /a member without a name/],
      ['{"a": 1/0}', /Infinity, which is not JSON/],
      ['function($x) { $x }', /a function/],
      ['($f := function() { 1 + $f() }; $f())', /stack|depth|deep/i],
    ] as const) {
      const context = stageContext();
      const documents = ['{"id":"1","a":"x"}', '{"id":"2","a":"x"}'];
      const outcomes = await runStage(ApplyJSONata, { expression }, documents, context);
      expect(outcomes.map((outcome) => outcome.documents[0])).toEqual(documents);
      const [notice] = context.collector.list();
      expect(notice).toMatchObject({
        code: 'stage.unchanged',
        count: 2,
        examples: [{ document: '1' }, { document: '2' }],
      });
      expect(notice?.examples[0]?.hint).toMatch(reason);
      expect(notice?.examples[0]?.hint).toMatch(/^The expression failed: /);
    }
  });

  it('reports nothing if the result is empty', async () => {
    const context = stageContext();
    await runStage(
      ApplyJSONata,
      { expression: 'none', source: 'a' },
      [
        { id: '1', a: {} },
        { id: '2', a: null },
      ],
      context,
    );
    expect(context.collector.list()).toEqual([]);
  });

  it('refuses an invalid expression at the start', async () => {
    await expect(run({ expression: 'a +' })).rejects.toThrow(
      /The JSONata expression cannot be used: .*end of expression/,
    );
    await expect(run({ expression: '$match(a, /x(?<n>y)(?<n>z)/)' })).rejects.toThrow('cannot be used');
  });

  it('refuses invalid paths and reserved fields', async () => {
    await expect(run({ expression: 'a', source: 'a', destination: 'id' })).rejects.toThrow('names id');
    await expect(run({ expression: 'a', source: 'run_id' })).rejects.toThrow('names run_id');
    await expect(run({ expression: 'a', source: 'a', destination: 'b[' })).rejects.toThrow('unclosed bracket');
    expect(await run({ expression: '$', source: 'id', destination: 'copy' }, { id: '1' })).toEqual([
      '{"id":"1","copy":"1"}',
    ]);
  });

  it.each(['a', '$ ~> |a|{"c": 1}|', '$map(a, function($v) { $v })'])(
    'satisfies the stage contract with the expression %s',
    (expression) =>
      assertStageContract(ApplyJSONata, {
        params: { expression, source: 'f', destination: 'g' },
        document: { id: '1', f: { a: [{ b: [1] }, { b: [2] }] } },
      }),
  );
});
