import type { InputBatch } from './pipeline-messages.ts';

/** True if the documents of a batch belong to another run; see `RecordChunk.keepsRunIds`. */
export function keepsRunIds(batch: InputBatch | undefined): boolean {
  return batch?.kind === 'records' && batch.chunk.keepsRunIds === true;
}

/** True if the parts of a batch list ids; see `RecordChunk.listsIds`. */
export function listsIds(batch: InputBatch | undefined): boolean {
  return batch?.kind === 'records' && batch.chunk.listsIds === true;
}
