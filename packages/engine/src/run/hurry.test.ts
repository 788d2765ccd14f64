import { expect, it } from 'vitest';
import { indexingHarness, part } from './indexing.test.lib.ts';

/** An `Indexing` whose batches have at most three documents, and wait for an hour. */
const harness = () => indexingHarness({ batchSize: 3, batchTimeout: 3_600_000 });

it('sends an incomplete batch when all documents that the source waits for are processed', () => {
  const { indexing, sent } = harness();
  indexing.accept(part(0, 1));
  indexing.hurry(2);
  expect(sent).toEqual([]);
  indexing.accept(part(1, 1));
  expect(sent).toEqual([2]);
});

it('sends an incomplete batch immediately if its documents are processed already', () => {
  const { indexing, sent } = harness();
  indexing.accept(part(0, 2));
  expect(sent).toEqual([]);
  indexing.hurry(1);
  expect(sent).toEqual([2]);
});

it('fills a batch while another one is sent', async () => {
  const { indexing, sent, answer } = harness();
  indexing.accept(part(0, 4));
  indexing.hurry(1);
  expect(sent).toEqual([3]);
  await answer();
  expect(sent).toEqual([3, 1]);
});

it('does not send later documents before their batch is full', async () => {
  const { indexing, sent, answer } = harness();
  indexing.hurry(1);
  indexing.accept(part(0, 1));
  await answer();
  indexing.accept(part(1, 1));
  expect(sent).toEqual([1]);
});
