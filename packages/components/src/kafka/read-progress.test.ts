import { describe, expect, it } from 'vitest';
import type { PartitionPosition } from './group-member.ts';
import { ReadProgress } from './read-progress.ts';

const at = (positions: Record<number, bigint>): Map<number, PartitionPosition> =>
  new Map(Object.entries(positions).map(([partition, offset]) => [Number(partition), { offset, leaderEpoch: 0 }]));

describe('ReadProgress, after a lost connection', () => {
  it('starts a partition without a commit at the configured offset again', () => {
    const progress = new ReadProgress(new Map([[0, 1200n]]));
    progress.received += 100;
    progress.lost();
    expect([progress.offsets, progress.received]).toEqual([new Map([[0, 1200n]]), 0]);
  });

  it('starts a partition with a configured offset after the last committed message', () => {
    const asked = { 0: 1200n, 1: 5n };
    const progress = new ReadProgress(new Map(Object.entries(asked).map(([k, v]) => [Number(k), v])));
    progress.received += 150;
    progress.committed({ positions: at({ 0: 1300n, 2: 9n }), messages: 100 });
    progress.lost();
    expect([progress.offsets?.get(0), progress.offsets?.get(1), progress.offsets?.size]).toEqual([1300n, 5n, 2]);
    expect(progress.received).toBe(100);
  });

  it('starts partitions without a configured offset at the position of the group', () => {
    const progress = new ReadProgress(undefined);
    progress.received += 5;
    progress.committed({ positions: at({ 0: 3n }), messages: 3 });
    progress.lost();
    expect([progress.offsets, progress.received]).toEqual([undefined, 3]);
  });
});
