import { NoticeCollector } from '@headrace/engine';
import { expect, it } from 'vitest';
import { RepeatedIds } from './repeated-ids.ts';

function counted(ids: Iterable<string>, collapses = false): { count: number; examples: unknown[] } {
  const collector = new NoticeCollector();
  const repeated = new RepeatedIds(collector.of({ component: 'c' }), collapses);
  for (const id of ids) repeated.add(id);
  const [notice] = collector.list();
  return { count: notice?.count ?? 0, examples: (notice?.examples ?? []).map(({ document }) => document) };
}

it('counts rows with the id of an earlier row', () => {
  const long = 'é'.repeat(5000);
  expect(counted(['a', 'b', 'a', 'a', long, 'c', long])).toEqual({
    count: 3,
    examples: ['a', 'a', expect.any(String)],
  });
});

it('does not count neighbours that become one document', () => {
  expect(counted(['a', 'a', 'b', 'b', 'a'], true)).toEqual({ count: 1, examples: ['a'] });
});

it('counts a million rows completely, and no row wrongly', () => {
  const ids = function* (times: number) {
    for (let time = 0; time < times; time++) for (let id = 0; id < 500_000; id++) yield String(id);
  };
  expect(counted(ids(1)).count).toBe(0);
  expect(counted(ids(2)).count).toBe(500_000);
});

it('needs no more memory for more rows', () => {
  const ids = function* () {
    for (let id = 0; id < 4_000_000; id++) yield String(id);
    yield '3999998';
  };
  expect(counted(ids())).toEqual({ count: 1, examples: ['3999998'] });
});
