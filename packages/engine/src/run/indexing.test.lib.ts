import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { EncodedBatch, Indexer } from '../component/indexer.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { BatchTracks } from './batch-tracks.ts';
import { Indexing } from './indexing.ts';

/** A part of the result of a source batch, with documents of one byte. */
export function part(sequence: number, count: number, last = true): OutcomePart {
  const lengths = new Uint32Array(count).fill(1);
  const none = { created: 0, dropped: 0, failed: 0, failures: [] };
  return { sequence, last, published: count, ...none, count, bytes: new Uint8Array(count), ids: '["a"]', lengths };
}

/**
 * An `Indexing` with an indexer whose requests end when the test answers them. `sent` has the number of documents of
 * each request.
 */
export function indexingHarness(settings: Partial<IndexerSettings>, indexer: Partial<Indexer> = {}) {
  const sent: number[] = [];
  const requests: (() => void)[] = [];
  const send = ({ count }: EncodedBatch) => {
    sent.push(count);
    return new Promise((resolve) => requests.push(() => resolve([])));
  };
  const flow = new FlowControl();
  const ignore = () => undefined;
  const listener = {
    onPart: ignore,
    onSucceeded: ignore,
    onFailed: ignore,
    onConfirmed: ignore,
    onUnconfirmed: ignore,
    onSpace: ignore,
  };
  const all = { streaming: false, ...indexer, send } as unknown as Indexer;
  const indexing = new Indexing(all, settings as IndexerSettings, 1000, flow, listener, 'p', new BatchTracks());
  /** Answers the oldest request; waits for one if there is none. */
  const answer = async () => {
    while (requests.length === 0) await new Promise(setImmediate);
    requests.shift()?.();
    await new Promise(setImmediate);
  };
  return { indexing, flow, sent, answer };
}
