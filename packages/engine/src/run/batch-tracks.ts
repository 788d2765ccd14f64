import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { ChunkOutcome, FailedInChunk, TrackedChunk } from '../component/connector.ts';
import type { IndexFailure } from '../component/indexer.ts';
import type { EncodedDocuments } from '../failures/encoded-documents.ts';
import type { Slice } from './encoded-batch.ts';

/** A document that the indexer could not write. */
export interface FailedWrite extends FailedInChunk {
  readonly undelivered: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The outcome of a batch so far. */
interface Track extends Mutable<ChunkOutcome> {
  readonly chunk: TrackedChunk;
  failures: FailedInChunk[];
  createdIds: string[];
  droppedIds: string[];
  sentIds: string[];
  /** True if the pipeline thread has returned the last part of the batch. */
  isProcessed: boolean;
  /** The number of its documents that wait for the indexer. */
  unsent: number;
}

/**
 * Counts the results of the chunks that a connector tracks. Reports each chunk when all its documents have left the
 * pipeline threads and the indexer.
 */
export class BatchTracks {
  readonly #tracks = new Map<number, Track>();

  /** Starts to track a chunk. `sequence` is the number of its batch. */
  begin(sequence: number, chunk: TrackedChunk): void {
    this.#tracks.set(sequence, {
      chunk,
      published: 0,
      created: 0,
      succeeded: 0,
      failed: 0,
      dropped: 0,
      undelivered: 0,
      failures: [],
      createdIds: [],
      droppedIds: [],
      sentIds: [],
      isProcessed: false,
      unsent: 0,
    });
  }

  /** Returns the origin of a batch, or undefined if the connector does not track it. */
  origin(sequence: number): unknown {
    return this.#tracks.get(sequence)?.chunk.origin;
  }

  /** Returns true if a batch is tracked. */
  has(sequence: number): boolean {
    return this.#tracks.has(sequence);
  }

  /** Adds the results of a part of a batch. */
  processed(part: OutcomePart): void {
    const track = this.#tracks.get(part.sequence);
    if (track === undefined) return;
    track.published += part.published;
    track.created += part.created;
    track.failed += part.failed;
    track.dropped += part.dropped;
    for (const { id, at, failure } of part.failures) {
      track.failures.push({ id, at, code: failure.code, message: failure.message });
    }
    track.createdIds.push(...(part.lists?.created ?? []));
    track.droppedIds.push(...(part.lists?.dropped ?? []));
    track.sentIds.push(...(part.lists?.sent ?? []));
    track.unsent += part.count;
    // The batch is incomplete, so the chunk is not reported, and its source must deliver it again.
    if (part.last && part.cut === true) this.#tracks.delete(part.sequence);
    else if (part.last) track.isProcessed = true;
    this.#closeIfFinished(part.sequence, track);
  }

  /** Adds the result of the indexer for the documents of slices. */
  written(
    slices: readonly Slice[],
    documents: EncodedDocuments,
    failureOf: (index: number) => IndexFailure | undefined,
  ): void {
    let start = 0;
    for (const { part, from, to } of slices) {
      const first = start;
      start += to - from;
      if (!this.has(part.sequence)) continue;
      const failures: FailedWrite[] = [];
      for (let index = first; index < start; index++) {
        const failure = failureOf(index);
        if (failure === undefined) continue;
        const id = documents.ids[index] ?? '';
        const { message, undelivered = false } = failure;
        failures.push({ id, at: 'indexer', code: 'HR_INDEXER_FAILED', message, undelivered });
      }
      this.sent(part.sequence, to - from, failures);
    }
  }

  /** Adds the result of the indexer for some documents of a batch. */
  sent(sequence: number, documents: number, failures: readonly FailedWrite[]): void {
    const track = this.#tracks.get(sequence);
    if (track === undefined) return;
    track.unsent -= documents;
    track.succeeded += documents - failures.length;
    track.failed += failures.length;
    for (const { undelivered, ...failure } of failures) {
      if (undelivered) track.undelivered++;
      track.failures.push(failure);
    }
    this.#closeIfFinished(sequence, track);
  }

  #closeIfFinished(sequence: number, track: Track): void {
    if (!track.isProcessed || track.unsent > 0) return;
    this.#tracks.delete(sequence);
    const { chunk, isProcessed: _, unsent: __, ...outcome } = track;
    chunk.finished(outcome);
  }
}
