import type { Document } from '../document/document.ts';
import type { PipelineSink } from '../pipeline/pipeline.ts';
import type { PartBuilder } from './part-builder.ts';

/** A document that waits for its turn. */
export interface WaitingDocument {
  readonly document: Document;
  /** The number of the stage that it goes on from. */
  readonly from: number;
  /** Which one of its batch it is. */
  readonly at: number;
}

/** A part, for documents that go through the pipeline together and leave it one family after the other. */
export function following(part: PartBuilder, documents: readonly WaitingDocument[]): PipelineSink {
  let next = 0;
  const follow = () => {
    part.position = documents[next++]?.at ?? -1;
  };
  follow();
  return {
    get full() {
      return part.full;
    },
    relieve: () => part.relieve(),
    emit: (document, isChild) => part.emit(document, isChild),
    finished: () => {
      part.finished();
      follow();
    },
    failedDocument: (input, error) => {
      part.failedDocument(input, error);
      follow();
    },
  };
}
