import { describe, expect, it } from 'vitest';
import type { EncodedBatch, Indexer, IndexFailure } from '../component/indexer.ts';
import type { EncodedDocuments } from '../failures/encoded-documents.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { BatchTracks } from './batch-tracks.ts';
import { indexingHarness, part } from './indexing.test.lib.ts';
import { Indexing } from './indexing.ts';

const harness = () => indexingHarness({ batchSize: 1, batchTimeout: 1 });

/**
 * Returns the state of a promise after all queued work has run: open, settled, or the error message of its rejection.
 */
function stateOf(promise: Promise<void>): Promise<string> {
  const open = new Promise<string>((resolve) => setTimeout(resolve, 5, 'open'));
  return Promise.race([
    promise.then(
      () => 'settled',
      (error: Error) => error.message,
    ),
    open,
  ]);
}

describe('Indexing.settled', () => {
  it('resolves immediately if no batch was published', async () => {
    expect(await stateOf(harness().indexing.settled(0))).toBe('settled');
  });

  it('waits for the last part and the response of every earlier batch', async () => {
    const { indexing, answer } = harness();
    const first = indexing.settled(1);
    const both = indexing.settled(2);
    indexing.accept(part(1, 1));
    indexing.accept(part(0, 1, false));
    await answer();
    expect(await stateOf(first)).toBe('open');
    indexing.accept(part(0, 1));
    expect(await stateOf(first)).toBe('open');
    await answer();
    expect([await stateOf(first), await stateOf(both)]).toEqual(['settled', 'open']);
    await answer();
    expect(await stateOf(both)).toBe('settled');
  });

  it('includes batches without documents', async () => {
    const { indexing } = harness();
    const first = indexing.settled(1);
    indexing.accept(part(0, 0));
    expect(await stateOf(first)).toBe('settled');
  });

  it('rejects if the run was abandoned before the documents were finished', async () => {
    const { indexing } = harness();
    const ends = Promise.allSettled([indexing.settled(1), indexing.settled(2)]);
    indexing.accept(part(0, 1));
    void indexing.abort({ code: 'HR_RUN_CANCELLED', message: 'stop' }, 10);
    expect(await ends).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('resolves if the requests were answered after the run was abandoned', async () => {
    const { indexing, answer } = harness();
    const ends = Promise.allSettled([indexing.settled(1), indexing.settled(2)]);
    indexing.accept(part(0, 1));
    indexing.accept(part(1, 1));
    const ended = indexing.abort({ code: 'HR_RUN_CANCELLED', message: 'stop' }, 60_000);
    await answer();
    await ended;
    expect(await ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }]);
  });

  it('resolves for batches that finished before the run was stopped, and rejects for an incomplete batch', async () => {
    const { indexing, flow, answer } = harness();
    const ends = Promise.allSettled([indexing.settled(1), indexing.settled(2)]);
    indexing.accept(part(0, 1));
    flow.stop();
    indexing.accept({ ...part(1, 1), cut: true });
    await answer();
    await answer();
    expect(await ends).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }]);
  });
});

it('an indexer may free the documents of a batch that it need not send, before the batch ends', async () => {
  const failed: (string | undefined)[][] = [];
  const answers: ((failures: IndexFailure[]) => void)[] = [];
  const indexer = {
    streaming: false,
    send: (batch: EncodedBatch) => {
      batch.keep?.([1]);
      batch.keep?.([0, 1]);
      return new Promise((resolve) => answers.push(resolve));
    },
  } as unknown as Indexer;
  const flow = new FlowControl();
  const ignore = () => undefined;
  let spaces = 0;
  const listener = {
    ...{ onPart: ignore, onSucceeded: ignore, onConfirmed: ignore, onUnconfirmed: ignore },
    onFailed: ({ documents, from, count }: { documents: EncodedDocuments; from: number; count: number }) => {
      const contents = Array.from({ length: count }, (_, i) => documents.content(from + i, 'e', new FailureBudget()));
      failed.push(
        contents.map((content) => ('omitted' in content ? content.omitted : JSON.stringify(content.document))),
      );
    },
    onSpace: () => {
      spaces++;
    },
  };
  const settings = { batchSize: 2, batchTimeout: 1 } as never;
  const indexing = new Indexing(indexer, settings, 2, flow, listener, 'p', new BatchTracks());
  const bytes = new Uint8Array(16 * 1024 * 1024).fill(97);
  const lengths = Uint32Array.of(bytes.length - 1, 1);
  indexing.accept({ ...part(0, 2), bytes, lengths });
  expect([flow.full, bytes.length, spaces]).toEqual([false, 0, 1]);
  answers[0]?.([{ index: 1, message: 'no' }]);
  await indexing.flush();
  expect(failed).toEqual([['{"kind":"encoded","text":"a","encoding":"e"}']]);
  indexing.accept({ ...part(1, 2) });
  await indexing.abort({ code: 'HR_RUN_CANCELLED', message: 'cancelled' }, 1);
  expect(failed[1]).toEqual([expect.stringContaining('has not changed'), expect.stringContaining('encoded')]);
});
