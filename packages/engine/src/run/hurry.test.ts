import { expect, it } from 'vitest';
import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { EncodedBatch, Indexer } from '../component/indexer.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { BatchTracks } from './batch-tracks.ts';
import { Indexing } from './indexing.ts';

function part(sequence: number, count: number): OutcomePart {
  const lengths = new Uint32Array(count).fill(1);
  const none = { created: 0, dropped: 0, failed: 0, failures: [] };
  return { sequence, last: true, published: count, ...none, count, bytes: new Uint8Array(count), ids: '[]', lengths };
}

/** An `Indexing` whose batches have at most three documents, and wait for an hour. `sent` has the size of each. */
function harness() {
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const send = ({ count }: EncodedBatch) => {
    sent.push(count);
    return new Promise((resolve) => answers.push(() => resolve([])));
  };
  const ignore = () => undefined;
  const listener = {
    onPart: ignore,
    onSucceeded: ignore,
    onFailed: ignore,
    onConfirmed: ignore,
    onUnconfirmed: ignore,
    onSpace: ignore,
  };
  const settings = { batchSize: 3, batchTimeout: 3_600_000 } as never;
  const indexer = { streaming: false, send } as unknown as Indexer;
  const indexing = new Indexing(indexer, settings, 1000, new FlowControl(), listener, 'p', new BatchTracks());
  const answer = async () => {
    answers.shift()?.();
    await new Promise(setImmediate);
  };
  return { indexing, sent, answer };
}

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
