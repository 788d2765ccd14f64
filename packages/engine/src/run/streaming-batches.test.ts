import { expect, it, onTestFinished, vi } from 'vitest';
import { indexingHarness, part } from './indexing.test.lib.ts';

/** An `Indexing` of a streaming indexer that prefers batches of three bytes. A document has one byte. */
const harness = (batchTimeout: number) => indexingHarness({ batchTimeout }, { streaming: true, batchBytes: 3 });
const HOUR = 3_600_000;

it('sends documents to a streaming indexer when they have enough bytes', () => {
  const { indexing, sent } = harness(HOUR);
  indexing.accept(part(0, 1));
  indexing.accept(part(1, 1));
  expect(sent).toEqual([]);
  indexing.accept(part(2, 2));
  expect(sent).toEqual([4]);
});

it('sends fewer bytes after the timeout, counted from the first document', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { indexing, sent } = harness(100);
  indexing.accept(part(0, 1));
  vi.advanceTimersByTime(60);
  indexing.accept(part(1, 1));
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(60);
  expect(sent).toEqual([2]);
});

it('starts a new batch after one that was full', async () => {
  const { indexing, sent, answer } = harness(HOUR);
  indexing.accept(part(0, 5));
  await answer();
  indexing.accept(part(1, 2));
  expect(sent).toEqual([5]);
  indexing.accept(part(2, 1));
  expect(sent).toEqual([5, 3]);
});

it('does not wait at the end of the source', async () => {
  const { indexing, sent, answer } = harness(HOUR);
  indexing.accept(part(0, 2));
  const flushed = indexing.flush();
  expect(sent).toEqual([2]);
  await answer();
  await flushed;
});

it('does not wait if the source waits for these documents', () => {
  const { indexing, sent } = harness(HOUR);
  indexing.accept(part(0, 1));
  indexing.hurry(1);
  expect(sent).toEqual([1]);
});

it('leaves space for the next documents while a batch is sent', () => {
  const { indexing, flow, sent } = indexingHarness({ batchTimeout: HOUR }, { streaming: true, batchBytes: 5000 });
  indexing.accept(part(0, 700));
  expect(sent).toEqual([]);
  indexing.accept(part(1, 100));
  expect([sent, flow.full]).toEqual([[800], false]);
});

it('sends each part immediately if the streaming indexer sets no size', () => {
  const { indexing, sent } = indexingHarness({ batchTimeout: HOUR }, { streaming: true, maxInFlight: 2 });
  indexing.accept(part(0, 1));
  indexing.accept(part(1, 1));
  expect(sent).toEqual([1, 1]);
});
