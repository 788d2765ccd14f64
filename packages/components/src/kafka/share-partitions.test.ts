import type { ClusterMetadata, GroupPartitionsAssigner } from '@platformatic/kafka';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharePartitions } from './share-partitions.ts';

type Members = Parameters<GroupPartitionsAssigner>[1];
/** The partitions of each member, by its name. A member reads the topic that its name begins with. */
type Shares = ReadonlyMap<string, readonly number[]>;

const topicOf = (memberId: string) => memberId.split('-')[0] as string;

/**
 * The partitions of the members after a rebalance, and after the next one, in which released partitions get their new
 * owner.
 */
function rebalanced(shares: Shares, partitions: number, generationId: number): Shares {
  const topics = new Set(Array.from(shares.keys(), topicOf));
  const metadata = { topics: new Map(Array.from(topics, (topic) => [topic, { partitionsCount: partitions }])) };
  let owned = shares;
  for (const generation of [generationId, generationId + 1]) {
    const members: Members = new Map(
      Array.from(owned, ([memberId, some]) => {
        const ownedPartitions = some.length === 0 ? [] : [{ topic: topicOf(memberId), partitions: [...some] }];
        const generationOf = some.length === 0 ? -1 : generation;
        return [
          memberId,
          { memberId, version: 3, topics: [topicOf(memberId)], ownedPartitions, generationId: generationOf },
        ];
      }),
    );
    const given = sharePartitions('leader', members, topics, metadata as unknown as ClusterMetadata);
    owned = new Map(
      given.map(({ memberId, assignments }) => [memberId, assignments.get(topicOf(memberId))?.partitions ?? []]),
    );
  }
  return owned;
}

const sizes = (shares: Shares, topic: string) =>
  Array.from(shares).flatMap(([memberId, some]) => (topicOf(memberId) === topic ? [some.length] : []));

describe('the partitions of a group whose members read different topics', () => {
  it('are balanced when a second worker joins a worker and an indexer', () => {
    const before = new Map([
      ['source-1', [0, 1, 2, 3]],
      ['source-2', []],
      ['dest-1', [0, 1, 2, 3]],
    ]);
    const after = rebalanced(before, 4, 1);
    expect(sizes(after, 'source')).toEqual([2, 2]);
    expect(after.get('dest-1')).toEqual([0, 1, 2, 3]);
  });

  it('leave no worker idle when several join', () => {
    const before = new Map([
      ['source-1', [0, 1, 2, 3, 4, 5, 6, 7]],
      ['source-2', []],
      ['source-3', []],
      ['source-4', []],
      ['dest-1', [0, 1, 2, 3, 4, 5, 6, 7]],
    ]);
    expect(sizes(rebalanced(before, 8, 1), 'source')).toEqual([2, 2, 2, 2]);
  });

  it('are shared with a third worker, although no other has more than its part', () => {
    const before = new Map([
      ['source-1', [0, 1]],
      ['source-2', [2, 3]],
      ['source-3', []],
    ]);
    expect(sizes(rebalanced(before, 4, 1), 'source').sort()).toEqual([1, 1, 2]);
  });

  it('stay where they are if they are balanced', () => {
    const before = new Map([
      ['source-1', [0, 3]],
      ['source-2', [1]],
      ['source-3', [2]],
      ['dest-1', [0, 1, 2, 3]],
    ]);
    expect(rebalanced(before, 4, 1)).toEqual(before);
  });

  it('are given to no member before their owner has released them, or while two members claim them', () => {
    const member = (memberId: string, partitions: number[]): Parameters<Members['set']> => {
      const ownedPartitions = [{ topic: 't', partitions }];
      return [memberId, { memberId, version: 3, topics: ['t'], ownedPartitions, generationId: 5 }];
    };
    const metadata = { topics: new Map([['t', { partitionsCount: 3 }]]) } as unknown as ClusterMetadata;
    const given = (...members: ReturnType<typeof member>[]) =>
      sharePartitions('leader', new Map(members), new Set(['t']), metadata).map(({ assignments }) => [
        ...(assignments.get('t')?.partitions ?? []),
      ]);
    expect(given(member('a', [0, 1, 2]), member('b', []))).toEqual([[0, 1], []]);
    expect(given(member('a', [0, 1]), member('b', [1, 2]))).toEqual([[0], [2]]);
  });

  it('have one owner each, and differ by at most one between the readers of a topic, after any change', () => {
    const change = fc.tuple(fc.constantFrom('source', 'dest'), fc.nat(5), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (changes, count) => {
          let shares: Shares = new Map();
          for (const [i, [topic, number, joins]] of changes.entries()) {
            const next = new Map(shares);
            const memberId = `${topic}-${number}`;
            if (!joins) next.delete(memberId);
            else if (!next.has(memberId)) next.set(memberId, []);
            shares = rebalanced(next, count, i * 2);
            for (const read of new Set(Array.from(shares.keys(), topicOf))) {
              const owned = Array.from(shares).flatMap(([id, some]) => (topicOf(id) === read ? some : []));
              expect(owned.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
              expect(Math.max(...sizes(shares, read)) - Math.min(...sizes(shares, read))).toBeLessThanOrEqual(1);
            }
          }
        },
      ),
    );
  });
});
