import type { PartitionPosition } from '@headrace/components/kafka';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUSY, PartitionGone, QueueCommits } from './queue-commits.ts';

interface Commit {
  readonly partition: number;
  readonly offset: number;
  readonly note: string | undefined;
}

/** A group that stores commits. It may refuse them, or wait for the test before it answers. */
class Group {
  readonly commits: Commit[] = [];
  readonly failures: unknown[] = [];
  refusal: Error | undefined;
  /** The number of commits that are refused before one is accepted. */
  refusals = 0;
  /** Commits are answered when this promise resolves. */
  held: Promise<void> = Promise.resolve();
  readonly queue = new QueueCommits({
    commit: async (positions) => {
      await this.held;
      if (this.refusal !== undefined) throw this.refusal;
      if (this.refusals > 0 && this.refusals-- > 0) throw new Error('away');
      for (const [partition, { offset, note }] of positions) {
        this.commits.push({ partition, offset: Number(offset), note });
      }
    },
    onFailed: (error) => this.failures.push(error),
  });

  begin(offset: number, partition = 0, bytes = 0): ReturnType<QueueCommits['begin']> {
    return this.queue.begin({ partition, offset: BigInt(offset), leaderEpoch: 0, value: new Uint8Array(bytes) });
  }

  get last(): Commit | undefined {
    return this.commits.at(-1);
  }
}

const at = (offset: number): PartitionPosition => ({ offset: BigInt(offset), leaderEpoch: 0 });

describe('the offsets of a queue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are committed after a second, up to the first message that is not finished', async () => {
    const group = new Group();
    const [a, b, c] = [group.begin(5), group.begin(6), group.begin(9)];
    group.queue.done(c);
    group.queue.done(a);
    await vi.advanceTimersByTimeAsync(999);
    expect(group.commits).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(group.commits).toEqual([{ partition: 0, offset: 6, note: BUSY }]);
    group.queue.done(b);
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.last).toEqual({ partition: 0, offset: 10, note: BUSY });
    expect(group.queue.open).toBe(0);
  });

  it('are committed for each partition separately', async () => {
    const group = new Group();
    const entries = [group.begin(1, 0), group.begin(7, 3), group.begin(2, 0)];
    for (const entry of entries.slice(0, 2)) group.queue.done(entry);
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.commits.map(({ partition, offset }) => [partition, offset])).toEqual([
      [0, 2],
      [3, 8],
    ]);
  });

  it('are committed once more if the brokers refuse them', async () => {
    const group = new Group();
    group.refusal = new Error('rebalance in progress');
    group.queue.done(group.begin(4));
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.failures).toEqual([group.refusal]);
    group.refusal = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.last?.offset).toBe(5);
  });

  it('are not committed for a lost partition, even if its messages finish later', async () => {
    const group = new Group();
    const entry = group.begin(4);
    group.queue.forget([0]);
    group.queue.done(entry);
    await vi.advanceTimersByTimeAsync(5000);
    await group.queue.close();
    expect(group.commits).toEqual([]);
  });

  it('are not changed by old messages after a partition is assigned again', async () => {
    const group = new Group();
    const before = group.begin(4);
    group.queue.forget([0]);
    const again = group.begin(4);
    group.queue.done(before);
    await vi.advanceTimersByTimeAsync(2000);
    expect(group.commits).toEqual([]);
    group.queue.done(again);
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.commits.map(({ offset }) => offset)).toEqual([5]);
  });

  it('never pass an unfinished message and never move backwards, in any order of events', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const), partition: fc.nat(1) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('done' as const), which: fc.nat(20) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), millis: fc.constantFrom(1, 500, 1500) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse' as const), refuses: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const), partition: fc.nat(1) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const group = new Group();
        const next = [0, 0];
        const finished = [new Set<number>(), new Set<number>()];
        const open: { partition: number; offset: number; entry: ReturnType<Group['begin']> }[] = [];
        const noting: Promise<unknown>[] = [];
        const firstOpen = (partition: number) =>
          Math.min(
            next[partition] as number,
            ...open.filter((one) => one.partition === partition).map(({ offset }) => offset),
          );
        for (const one of steps) {
          if (one.kind === 'begin') {
            const offset = next[one.partition] as number;
            next[one.partition] = offset + 1;
            open.push({ partition: one.partition, offset, entry: group.begin(offset, one.partition) });
          } else if (one.kind === 'done') {
            const [taken] = open.splice(one.which % Math.max(1, open.length), 1);
            if (taken === undefined) continue;
            finished[taken.partition]?.add(taken.offset);
            group.queue.done(taken.entry);
          } else if (one.kind === 'refuse') group.refusal = one.refuses ? new Error('refused') : undefined;
          else if (one.kind === 'note') {
            const position = at(firstOpen(one.partition));
            noting.push(group.queue.commit(one.partition, position, 'note').catch(() => undefined));
          } else await vi.advanceTimersByTimeAsync(one.millis);
        }
        group.refusal = undefined;
        await vi.advanceTimersByTimeAsync(5000);
        await Promise.all(noting);
        await group.queue.close();
        for (const partition of [0, 1]) {
          const offsets = group.commits.filter((one) => one.partition === partition).map(({ offset }) => offset);
          expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
          for (let before = 0; before < (offsets.at(-1) ?? 0); before++) {
            expect(finished[partition]?.has(before), `offset ${before} was passed`).toBe(true);
          }
          // At the end, all finished messages are committed.
          if ((finished[partition]?.size ?? 0) > 0 && firstOpen(partition) > 0) {
            expect(offsets.at(-1)).toBe(firstOpen(partition));
          }
        }
      }),
    );
  });
});

describe('the note of a partition', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is committed immediately, and again with each later offset', async () => {
    const group = new Group();
    const entry = group.begin(3);
    await group.queue.commit(0, at(3), 'suspect');
    expect(group.commits).toEqual([{ partition: 0, offset: 3, note: 'suspect' }]);
    group.queue.done(entry);
    await vi.advanceTimersByTimeAsync(1000);
    expect(group.last).toEqual({ partition: 0, offset: 4, note: 'suspect' });
  });

  it('is tried until the brokers accept it', async () => {
    vi.useRealTimers();
    const group = new Group();
    group.refusal = new Error('rebalance');
    const noting = group.queue.commit(0, at(3), 'n');
    await expect.poll(() => group.failures.length).toBeGreaterThan(1);
    group.refusal = undefined;
    await noting;
    expect(group.commits).toEqual([{ partition: 0, offset: 3, note: 'n' }]);
  });

  it('is abandoned when the partition is revoked', async () => {
    const group = new Group();
    group.refusal = new Error('rebalance');
    const noting = expect(group.queue.commit(0, at(3), 'n')).rejects.toThrow(PartitionGone);
    group.queue.forget([0]);
    await noting;
  });

  it('is removed when the process leaves, except from partitions with unfinished messages', async () => {
    const group = new Group();
    await group.queue.commit(0, at(0), BUSY);
    await group.queue.commit(1, at(0), BUSY);
    group.queue.done(group.begin(0, 0));
    group.begin(0, 1);
    await group.queue.close();
    expect(group.commits.slice(2)).toEqual([
      { partition: 0, offset: 1, note: '' },
      { partition: 1, offset: 0, note: BUSY },
    ]);
  });

  it('is removed from all partitions if no message has ended the process', async () => {
    const group = new Group();
    await group.queue.commit(1, at(0), BUSY);
    group.begin(0, 1);
    await group.queue.close(true);
    expect(group.last).toEqual({ partition: 1, offset: 0, note: '' });
  });
});

describe('a queue that its reader leaves', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('commits a revoked partition after its last message, without a note', async () => {
    const group = new Group();
    const entry = group.begin(8);
    group.begin(1, 1);
    let isReleased: boolean | undefined;
    const releasing = group.queue.release([0], new AbortController().signal).then((is) => {
      isReleased = is;
    });
    await vi.advanceTimersByTimeAsync(3000);
    expect([isReleased, group.commits]).toEqual([undefined, []]);
    group.queue.done(entry);
    await releasing;
    expect([isReleased, group.commits]).toEqual([true, [{ partition: 0, offset: 9, note: '' }]]);
  });

  it('commits nothing of a partition that could not be released in time', async () => {
    const group = new Group();
    group.begin(8);
    const time = new AbortController();
    const releasing = group.queue.release([0], time.signal);
    time.abort();
    expect(await releasing).toBe(false);
    expect(group.commits).toEqual([]);
  });

  it('repeats its last commit if it fails', async () => {
    vi.useRealTimers();
    const group = new Group();
    group.queue.done(group.begin(1));
    group.refusals = 3;
    await group.queue.close();
    expect(group.commits).toEqual([{ partition: 0, offset: 2, note: '' }]);
    expect(group.refusals).toBe(0);
    expect(group.failures).toEqual([]);
  });

  it('commits nothing after it was closed', async () => {
    const group = new Group();
    const [first, second] = [group.begin(1), group.begin(2)];
    group.queue.done(first);
    await group.queue.close();
    group.queue.done(second);
    await group.queue.commit(0, at(3), 'n');
    await vi.advanceTimersByTimeAsync(5000);
    await group.queue.close();
    expect(group.commits.map(({ offset }) => offset)).toEqual([2]);
  });

  it('waits for a commit in progress before its last commit', async () => {
    const group = new Group();
    const held = Promise.withResolvers<void>();
    group.held = held.promise;
    const [first, second] = [group.begin(1), group.begin(2)];
    group.queue.done(first);
    await vi.advanceTimersByTimeAsync(1000);
    group.queue.done(second);
    const closing = group.queue.close();
    held.resolve();
    await closing;
    expect(group.commits.map(({ offset, note }) => [offset, note])).toEqual([
      [2, BUSY],
      [3, ''],
    ]);
  });
});

describe('the limits of a queue', () => {
  it('make the reader wait until fewer messages and bytes are in progress', async () => {
    const group = new Group();
    const { signal } = new AbortController();
    const [first, second] = [group.begin(1, 0, 10), group.begin(2, 0, 90)];
    await group.queue.below(3, 101, signal);
    let passed = 0;
    const messages = group.queue.below(2, 1000, signal).then(() => passed++);
    const bytes = group.queue.below(9, 50, signal).then(() => passed++);
    await Promise.resolve();
    expect(passed).toBe(0);
    group.queue.done(first);
    await messages;
    expect(passed).toBe(1);
    group.queue.done(second);
    await bytes;
    await group.queue.close();
  });

  it('let a message wait until it is the only one in progress, and its partition is not released before it', async () => {
    const group = new Group();
    const { signal } = new AbortController();
    const before = group.begin(1, 0);
    const alone = group.begin(2, 1);
    const steps: string[] = [];
    const waiting = group.queue.alone(signal).then(() => steps.push('alone'));
    const releasing = group.queue.release([1], signal).then(() => steps.push('released'));
    await new Promise(setImmediate);
    expect(steps).toEqual([]);
    group.queue.done(before);
    await waiting;
    await new Promise(setImmediate);
    expect(steps).toEqual(['alone']);
    group.queue.done(alone);
    await releasing;
    expect(steps).toEqual(['alone', 'released']);
    await group.queue.close();
  });

  it('show how long no message has finished', async () => {
    vi.useFakeTimers();
    const group = new Group();
    vi.advanceTimersByTime(9000);
    expect(group.queue.idleMillis).toBe(0);
    const [first, second] = [group.begin(1), group.begin(2)];
    vi.advanceTimersByTime(5000);
    expect(group.queue.idleMillis).toBe(5000);
    group.queue.done(second);
    vi.advanceTimersByTime(1000);
    expect(group.queue.idleMillis).toBe(1000);
    group.queue.done(first);
    vi.advanceTimersByTime(1000);
    expect(group.queue.idleMillis).toBe(0);
    vi.useRealTimers();
    await group.queue.close();
  });

  it('do not make a stopped reader wait', async () => {
    const group = new Group();
    group.begin(1);
    group.begin(2);
    const stop = new AbortController();
    const waiting = group.queue.alone(stop.signal);
    stop.abort();
    await waiting;
    expect(group.queue.open).toBe(2);
    await group.queue.close();
  });
});
