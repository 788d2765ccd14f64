import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceBatch } from '../batch/pipeline-messages.ts';
import type { RecordChunk } from '../component/connector.ts';
import { silentLogger } from '../component/logger.ts';
import { Document } from '../document/document.ts';
import { silentNotices } from '../notices/notice.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import { BatchingPublisher } from './batching-publisher.ts';

const decoder = { url: 'decoder.js', name: 'Decoder', options: {} };

function chunk(position: string, length = 10, rest: Partial<RecordChunk> = {}): RecordChunk {
  return { bytes: new Uint8Array(length), decoder, position, ...rest };
}

/** A publisher, and the batches that it has sent. */
function recorded(largeChunks = false): { publisher: BatchingPublisher; batches: SourceBatch[] } {
  const batches: SourceBatch[] = [];
  const publisher = new BatchingPublisher({
    signal: new AbortController().signal,
    log: silentLogger,
    notices: silentNotices,
    collapse: false,
    maxPending: undefined,
    largeChunks,
    waitForSpace: async () => undefined,
    submit: (batch) => void batches.push(batch),
    waitForPending: async () => undefined,
    settled: async () => undefined,
    hurry: () => undefined,
    failuresStored: async () => undefined,
    unread: () => ({ undelivered: 0, unkept: 0 }),
    onReject: () => undefined,
  });
  return { publisher, batches };
}

/** Returns the positions of the chunks and the ids of the documents of a batch. */
function namesIn(batch: SourceBatch): string[] {
  if (batch.kind === 'records') return batch.chunks.map(({ position }) => String(position));
  return batch.kind === 'documents' ? [...decodeDocuments(batch.bytes)].map(({ id }) => id) : [];
}

describe('the publisher of a connector', () => {
  it('sends the chunks of several small files as one batch', async () => {
    const { publisher, batches } = recorded();
    for (const name of ['a', 'b', 'c']) await publisher.publishChunk(chunk(name));
    await publisher.flush();
    expect(batches.map(namesIn)).toEqual([['a', 'b', 'c']]);
  });

  it('sends the first documents in small batches, each up to twice as large as the one before', async () => {
    const { publisher, batches } = recorded();
    for (let i = 0; i < 3500; i++) await publisher.publish(Document.create(`${i}`));
    await publisher.flush();
    const sizes = batches.map((batch) => namesIn(batch).length);
    expect(sizes.slice(0, 10)).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
    expect(batches.flatMap(namesIn)).toEqual(Array.from({ length: 3500 }, (_, i) => `${i}`));
  });

  it('counts large values in lists and objects', async () => {
    const { publisher, batches } = recorded();
    for (let i = 0; i < 40; i++) {
      const document = Document.create(`${i}`);
      document.set('list', [1, new Map([['text', 'x'.repeat(300_000)]])]);
      await publisher.publish(document);
    }
    await publisher.flush();
    expect(batches.map((batch) => namesIn(batch).length)).toEqual(Array(40).fill(1));
  });

  it('sends a small chunk without its large buffer', async () => {
    const { publisher, batches } = recorded();
    const large = Uint8Array.from({ length: 1000 }, (_, i) => i);
    await publisher.publishChunk({ ...chunk('a'), bytes: large.subarray(5, 8) });
    await publisher.flush();
    const [batch] = batches;
    const bytes = batch?.kind === 'records' ? batch.chunks[0].bytes : undefined;
    expect([...(bytes ?? [])]).toEqual([5, 6, 7]);
    expect(bytes?.buffer.byteLength).toBe(3);
  });

  it('sends small chunks when they have 256 KiB together', async () => {
    const { publisher, batches } = recorded();
    for (let i = 0; i < 20; i++) await publisher.publishChunk(chunk(`${i}`, 30_000));
    await publisher.flush();
    expect(batches.map((batch) => namesIn(batch).length)).toEqual([9, 9, 2]);
  });

  it('joins two pieces of a file for an indexer that prefers large chunks', async () => {
    const { publisher, batches } = recorded(true);
    for (let i = 0; i < 5; i++) await publisher.publishChunk(chunk(`${i}`, 512 * 1024));
    await publisher.publishChunk(chunk('large', 1024 * 1024));
    await publisher.flush();
    expect(batches.map(namesIn)).toEqual([['0', '1'], ['2', '3'], ['4'], ['large']]);
  });

  it.each([
    ['a large chunk', chunk('b', 40_000)],
    ['a chunk that lists ids', chunk('b', 10, { listsIds: true })],
    ['a chunk that keeps run ids', chunk('b', 10, { keepsRunIds: true })],
    ['a chunk with a known number of documents', chunk('b', 10, { documents: 2 })],
  ])('sends %s alone', async (_what, alone) => {
    const { publisher, batches } = recorded();
    await publisher.publishChunk(chunk('a'));
    await publisher.publishChunk(alone);
    await publisher.publishChunk(chunk('c'));
    await publisher.flush();
    expect(batches.map(namesIn)).toEqual([['a'], ['b'], ['c']]);
  });

  it('sends a chunk alone if the connector tracks its outcome', async () => {
    const { publisher, batches } = recorded();
    await publisher.publishChunk(chunk('a'));
    await publisher.publishChunk(chunk('b'), { origin: 'x', finished: () => undefined });
    await publisher.flush();
    expect(batches.map(namesIn)).toEqual([['a'], ['b']]);
  });

  it('sends documents and chunks of any size in the order in which they were published', async () => {
    const kinds = fc.array(fc.constantFrom('document', 'small', 'large', 'settled'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(kinds, async (steps) => {
        const { publisher, batches } = recorded();
        for (const [i, kind] of steps.entries()) {
          if (kind === 'settled') await publisher.settled();
          else if (kind === 'document') await publisher.publish(Document.create(`${i}`));
          else await publisher.publishChunk(chunk(`${i}`, kind === 'small' ? 10 : 40_000));
        }
        await publisher.flush();
        const published = [...steps.keys()].filter((i) => steps[i] !== 'settled').map(String);
        expect(batches.flatMap(namesIn)).toEqual(published);
      }),
    );
  });
});
