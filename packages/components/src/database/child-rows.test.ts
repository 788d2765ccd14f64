import type { Value } from '@headrace/engine';
import { expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { ChildRows } from './child-rows.ts';
import type { Database, RowStream } from './database.ts';

function childrenOf(keys: readonly string[], kind: Database['kind']): ChildRows {
  const stream: RowStream = {
    columns: ['p'],
    async *rows() {
      yield keys.map((key): Value[] => [key]);
    },
    warning: undefined,
    invalidTimes: 0,
    async close() {},
  };
  const { log, notices } = new CollectingPublisher();
  return new ChildRows(stream, 'p', { name: 'otherSQLs[0]', kind, log, notices });
}

it.each<[Database['kind'], string[]]>([
  ['postgres', ['a', 'Ａ', '😀']],
  ['mysql', ['a', 'Ａ', '😀']],
  ['sqlserver', ['a', '😀', 'Ａ']],
])('accepts keys in the binary order of %s', async (kind, keys) => {
  const children = childrenOf(keys, kind);
  for (const key of keys)
    expect(await children.childrenOf(key)).toEqual([
      new Map([
        ['id', '0'],
        ['p', key],
      ]),
    ]);
  const [first, second, third] = keys as [string, string, string];
  await expect(childrenOf([first, third, second], kind).childrenOf(third)).rejects.toThrow('ascending');
});
