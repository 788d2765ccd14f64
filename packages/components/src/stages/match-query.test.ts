import { withDefaults } from '@headrace/engine';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { MatchQuery } from './match-query.ts';

const params = {
  fields: ['text', 'country'],
  queries: [
    { apples: 'apple*', fruit: 'apple pear' },
    { korea: 'country:"south korea"', none: '-apple' },
  ],
  matchedQueriesField: 'hits',
};

async function hits(document: Record<string, unknown>, overrides: Record<string, unknown> = {}): Promise<unknown> {
  const [outcome] = await runStage(MatchQuery, { ...params, ...overrides }, [{ id: '1', ...document }]);
  expect(outcome?.error).toBeUndefined();
  return (JSON.parse(outcome?.documents[0] as string) as { hits?: unknown }).hits;
}

describe('MatchQuery', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(MatchQuery, { params, document: { id: '1', text: 'an apple' } });
  });

  it.each([
    [{ text: 'An Apple' }, ['apples', 'fruit']],
    [{ text: 'pears, apples' }, ['apples']],
    [{ text: ['nothing', null, 'pear'], country: 'South Korea' }, ['fruit', 'korea']],
    [{ country: 'apple' }, undefined],
    [{ text: null }, undefined],
    [{ text: [] }, undefined],
    [{}, undefined],
    [{ text: 'none', hits: 'old' }, 'old'],
    [{ text: 'pear', hits: 'old' }, ['old', 'fruit']],
  ])('writes for %j the matching queries %j', async (document, expected) => {
    expect(await hits(document)).toEqual(expected);
  });

  it('uses the last of several queries with the same name, in the position of the first', async () => {
    const queries = [{ a: 'x', b: 'pear' }, { a: 'pear' }];
    expect(await hits({ text: 'pear' }, { queries })).toEqual(['a', 'b']);
  });

  it('searches numbers and booleans as texts', async () => {
    expect(await hits({ text: [42, true] }, { queries: [{ n: 42, b: true }] })).toEqual(['n', 'b']);
  });

  it('supports thousands of queries', async () => {
    const queries = [Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`q${i}`, `+word${i} +("a b" w*)`]))];
    expect(await hits({ text: 'word7 word4999 a b' }, { queries })).toEqual(['q7', 'q4999']);
  });

  it.each([
    [{ fields: [] }, 'at least one field'],
    [{ queries: [] }, 'at least one query'],
    [{ queries: [{}] }, 'at least one query'],
    [{ matchedQueriesField: ' ' }, 'must not be blank'],
    [{ matchedQueriesField: 'id' }, 'reserved'],
    [{ queries: [{ bad: 'a:b:c' }] }, 'The query "bad" is wrong'],
  ])('refuses the parameters %j', (wrong, message) => {
    expect(() => makeStage(MatchQuery, { ...params, ...wrong })).toThrow(message);
  });

  it('warns about queries that search fields outside the list', () => {
    const warnings = [
      ...MatchQuery.check(
        withDefaults(MatchQuery.parameters, { ...params, queries: [new Map([['q', 'title:apple *:*']])] } as never),
      ),
    ];
    expect(warnings).toMatchObject([{ parameter: ['queries', 0, 'q'], severity: 'warning' }]);
  });
});
