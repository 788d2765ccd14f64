import type { RecordChunk } from '../component/connector.ts';
import type { InputBatch, SourceBatch } from './pipeline-messages.ts';

/** True if the documents of a batch belong to another run; see `RecordChunk.keepsRunIds`. */
export function keepsRunIds(batch: InputBatch | undefined): boolean {
  return batch?.kind === 'records' && batch.chunks[0].keepsRunIds === true;
}

/** True if the parts of a batch list ids; see `RecordChunk.listsIds`. */
export function listsIds(batch: InputBatch | undefined): boolean {
  return batch?.kind === 'records' && batch.chunks[0].listsIds === true;
}

/** Returns the bytes of a batch. */
export function bytesOf(batch: SourceBatch): readonly Uint8Array[] {
  return batch.kind === 'records' ? batch.chunks.map(({ bytes }) => bytes) : [batch.bytes];
}

/** Returns the number of documents of chunks, or undefined if it is only known after decoding. */
export function knownDocuments(chunks: readonly RecordChunk[]): number | undefined {
  let sum = 0;
  for (const { documents } of chunks) {
    if (documents === undefined) return undefined;
    sum += documents;
  }
  return sum;
}
