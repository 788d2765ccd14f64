import { describe, expect, it } from 'vitest';
import type { PartitionPosition } from './kafka-source.ts';
import { ReadProgress } from './read-progress.ts';

const at = (positions: Record<number, bigint>): Map<number, PartitionPosition> =>
  new Map(Object.entries(positions).map(([partition, offset]) => [Number(partition), { offset, leaderEpoch: 0 }]));

/** Reads and publishes so many messages, up to these positions. */
function read(progress: ReadProgress, messages: number, positions: Record<number, bigint>): void {
  progress.received += messages;
  progress.published(at(positions), messages);
}

describe('the progress of a run in a topic', () => {
  it('begins again as it was asked to where nothing was committed', () => {
    const progress = new ReadProgress(new Map([[0, 1200n]]));
    read(progress, 100, { 0: 1300n, 1: 7n });
    progress.lost();
    expect(progress.offsets).toEqual(new Map([[0, 1200n]]));
    expect([progress.received, progress.hasUncommitted]).toEqual([0, false]);
  });

  it('begins again behind what was committed, of each partition that it was asked to begin at', () => {
    const progress = new ReadProgress(
      new Map([
        [0, 1200n],
        [1, 5n],
      ]),
    );
    read(progress, 100, { 0: 1300n, 2: 9n });
    progress.committed(progress.take());
    read(progress, 50, { 0: 1350n, 1: 20n });
    progress.lost();
    expect(progress.offsets).toEqual(
      new Map([
        [0, 1300n],
        [1, 5n],
      ]),
    );
    expect(progress.received).toBe(100);
  });

  it('leaves it to the group where it was not asked to begin elsewhere', () => {
    const progress = new ReadProgress(undefined);
    read(progress, 3, { 0: 3n });
    progress.committed(progress.take());
    progress.lost();
    expect(progress.offsets).toBeUndefined();
    expect(progress.received).toBe(3);
  });

  it('commits later what could not be committed, and never goes back', () => {
    const progress = new ReadProgress(undefined);
    read(progress, 3, { 0: 3n, 1: 1n });
    const failed = progress.take();
    expect(progress.hasUncommitted).toBe(false);
    read(progress, 2, { 0: 5n });
    progress.putBack(failed);
    expect(progress.take()).toEqual({ positions: at({ 0: 5n, 1: 1n }), messages: 5 });
  });
});
