import { HeadraceError } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Published, SettledCommits } from './settled-commits.ts';

const upTo = (offset: number, messages: number): Published => ({
  positions: new Map([[0, { offset: BigInt(offset), leaderEpoch: 0 }]]),
  messages,
});

/** A consumer group and an engine. The test decides when each call is answered. */
class Stage {
  readonly questions: PromiseWithResolvers<void>[] = [];
  /** The committed offsets, and the offsets reported to `onCommitted`. */
  readonly offsets: number[] = [];
  readonly committed: number[] = [];
  readonly failures: unknown[] = [];
  /** The reasons why nothing more is committed. */
  readonly unread: string[] = [];
  refusal: Error | undefined;
  readonly commits: SettledCommits;

  constructor(atEnd = false) {
    this.commits = new SettledCommits({
      atEnd,
      commit: async (positions) => {
        if (this.refusal !== undefined) throw this.refusal;
        this.offsets.push(Number(positions.get(0)?.offset));
      },
      settled: () => {
        const question = Promise.withResolvers<void>();
        this.questions.push(question);
        return question.promise;
      },
      onCommitted: ({ messages }) => this.committed.push(messages),
      onFailed: (error) => this.failures.push(error),
      onUnread: (reason) => this.unread.push(reason),
    });
  }
}

describe('SettledCommits', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('commits finished messages, even if later messages have not finished', async () => {
    const { commits, questions, offsets, committed } = new Stage();
    for (let end = 500; end <= 2000; end += 500) commits.published(upTo(end, 500));
    questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(offsets).toEqual([500]);
    questions[1]?.resolve();
    await vi.advanceTimersByTimeAsync(500);
    questions[2]?.resolve();
    await vi.advanceTimersByTimeAsync(499);
    expect(offsets).toEqual([500]);
    await vi.advanceTimersByTimeAsync(1);
    expect([offsets, committed]).toEqual([
      [500, 1500],
      [500, 1000],
    ]);
  });

  it('waits with one call for many small chunks', async () => {
    const { commits, questions, offsets } = new Stage();
    for (let end = 1; end <= 10_000; end++) commits.published(upTo(end, 1));
    expect(questions.length).toBeLessThan(2000);
    for (let i = 0; i < questions.length; i++) {
      questions[i]?.resolve();
      await vi.advanceTimersByTimeAsync(0);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(offsets.at(-1)).toBe(10_000);
  });

  it('tries a failed commit again', async () => {
    const stage = new Stage();
    stage.refusal = new Error('away');
    stage.commits.published(upTo(5, 5));
    stage.questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(stage.failures).toEqual([stage.refusal]);
    stage.refusal = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect([stage.offsets, stage.committed]).toEqual([[5], [5]]);
  });

  it.each(['HR_INDEXER_UNDELIVERED', 'HR_RUN_FAILURES_NOT_KEPT'] as const)(
    'commits nothing after documents that do not count as read: %s',
    async (code) => {
      const { commits, questions, offsets, unread } = new Stage();
      for (const end of [1, 2, 3]) commits.published(upTo(end, 1));
      questions[0]?.resolve();
      await vi.advanceTimersByTimeAsync(0);
      questions[1]?.reject(new HeadraceError(code, 'x'));
      questions[2]?.resolve();
      await commits.finish(async () => undefined);
      expect(unread).toEqual([commits.unread]);
      await commits.close();
      expect(offsets).toEqual([1]);
    },
  );

  it('commits all messages at the end, and only the finished ones after a stop', async () => {
    const first = new Stage();
    first.commits.published(upTo(7, 7));
    first.questions[0]?.resolve();
    await first.commits.finish(async () => undefined);
    await first.commits.close();
    expect(first.commits.unread).toBeUndefined();
    expect(first.offsets.at(-1)).toBe(7);
    const second = new Stage();
    for (const end of [1, 2, 3]) second.commits.published(upTo(end, 1));
    second.questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    second.questions[1]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    const closed = second.commits.close();
    await vi.advanceTimersByTimeAsync(1000);
    await closed;
    expect(second.offsets).toEqual([1, 2]);
  });

  it('commits only at the end if the output is complete only then', async () => {
    const first = new Stage(true);
    first.commits.begin(upTo(7, 7));
    first.commits.published(upTo(7, 7));
    first.questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await first.commits.release([0], new AbortController().signal)).toBe(false);
    expect(first.offsets).toEqual([]);
    await first.commits.finish(async () => undefined);
    expect(first.offsets).toEqual([7]);
    const stopped = new Stage(true);
    stopped.commits.published(upTo(7, 7));
    stopped.questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    await stopped.commits.close();
    expect(stopped.offsets).toEqual([]);
  });

  it('commits nothing after the connection is lost', async () => {
    const { commits, questions, offsets } = new Stage();
    commits.published(upTo(5, 5));
    commits.forget();
    questions[0]?.resolve();
    await vi.advanceTimersByTimeAsync(5000);
    expect(offsets).toEqual([]);
  });
});
