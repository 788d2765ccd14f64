import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ReplacePatterns } from './replace-patterns.ts';

async function run(params: Record<string, unknown>, ...documents: (string | Record<string, unknown>)[]) {
  return (await runStage(ReplacePatterns, params, documents)).map(
    ({ documents, error }) => error ?? documents.join('\n'),
  );
}

const base = { source: ['a'], dest: ['b'] };

/** Returns the text after the replacements. */
async function replace(params: Record<string, unknown>, text: string): Promise<unknown> {
  const [out] = await run({ ...base, ...params }, { id: '1', a: text });
  return (JSON.parse(out as string) as { b: unknown }).b;
}

describe('ReplacePatterns', () => {
  it('applies each pattern to the result of the previous one', async () => {
    expect(await replace({ regex: ['a', 'bb'], replacement: 'b' }, 'a-ab')).toBe('b-b');
    expect(await replace({ regex: [], replacement: 'b' }, 'a')).toBe('a');
    expect(await replace({ regex: ['x'], replacement: '' }, 'axxb')).toBe('ab');
  });

  it('inserts the text of groups into the replacement', async () => {
    expect(await replace({ regex: ['(\\w+) (\\w+)'], replacement: '$2 $1' }, 'hello world again now')).toBe(
      'world hello now again',
    );
    expect(await replace({ regex: ['(?<y>x)?y'], replacement: '[${y}\\$$0]' }, 'xy y')).toBe('[x$xy] [$y]');
  });

  it('fails a document if the replacement names a group that the pattern does not have', async () => {
    const [failed, passed] = await run(
      { ...base, regex: ['a'], replacement: '$3' },
      { id: '1', a: 'a' },
      { id: '2', a: 'c' },
    );
    expect(failed).toMatch(/"\$3" cannot be used: the pattern has no group 3/);
    expect(passed).toBe('{"id":"2","a":"c","b":"c"}');
  });

  it('supports ignoreCase, dotall, multiline and literal', async () => {
    expect(await replace({ regex: ['X.'], replacement: '-', ignoreCase: true, dotall: true }, 'x\nxa')).toBe('--');
    expect(await replace({ regex: ['^'], replacement: '> ', multiline: true }, 'a\nb')).toBe('> a\n> b');
    expect(await replace({ regex: ['a.b'], replacement: 'X', literal: true }, 'a.b axb')).toBe('X axb');
    expect(await replace({ regex: ['[A'], replacement: '$0$0', literal: true, ignoreCase: true }, '[a')).toBe('[a[a');
  });

  it('reads the replacement from a field if the document has it', async () => {
    const params = { ...base, regex: ['(x)'], replacementField: 'r' };
    const documents = [
      { id: '1', a: 'x', r: '$1$1' },
      { id: '2', a: 'x', r: [7, 8] },
      { id: '3', a: 'x', r: null },
      { id: '4', a: 'x', r: '$' },
      { id: '5', a: 'x', r: '' },
    ];
    expect(await run({ ...params, replacement: '#' }, ...documents)).toEqual([
      '{"id":"1","a":"x","r":"$1$1","b":"xx"}',
      '{"id":"2","a":"x","r":[7,8],"b":"7"}',
      '{"id":"3","a":"x","r":null,"b":"#"}',
      expect.stringContaining('a $ must be followed by a group'),
      '{"id":"5","a":"x","r":"","b":""}',
    ]);
    expect((await run(params, ...documents))[2]).toBe('{"id":"3","a":"x","r":null}');
  });

  it('writes the values of a list together and does not change other values', async () => {
    expect(
      await run(
        { source: ['a'], dest: ['a'], regex: ['-|^$'], replacement: '_' },
        { id: '1', a: ['a-b', 'c', null, { x: '-' }] },
        { id: '2', a: [] },
        { id: '3', a: { x: '-' } },
        { id: '4', a: -5 },
      ),
    ).toEqual([
      '{"id":"1","a":["a_b","c",null,{"x":"-"}]}',
      '{"id":"2","a":[]}',
      '{"id":"3","a":{"x":"-"}}',
      '{"id":"4","a":"_5"}',
    ]);
  });

  it('refuses parameters without a replacement, and reports all invalid patterns together', async () => {
    await expect(run({ ...base, regex: ['x'] })).rejects.toThrow('Either replacement or replacementField');
    const wrong = run({ ...base, regex: ['x', '(', '[a'], replacement: '' });
    await expect(wrong).rejects.toThrow(/regex\[1\] is not a regular expression[\s\S]*regex\[2\] is not/);
    await expect(run({ ...base, dest: ['id'], regex: ['x'], replacement: '' })).rejects.toThrow('dest[0] names id');
  });

  it('satisfies the stage contract', () =>
    assertStageContract(ReplacePatterns, {
      params: { ...base, regex: ['x'], replacement: 'y' },
      document: { id: '1', a: ['x', { z: [] }] },
    }));
});
