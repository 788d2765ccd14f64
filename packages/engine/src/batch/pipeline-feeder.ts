import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { Pipeline, PipelineSink } from '../pipeline/pipeline.ts';
import type { StageError } from '../pipeline/stage-error.ts';
import { guardDocuments } from './guard-documents.ts';

/**
 * The number of documents in one call of a pipeline that keeps several in flight. It is small, so that parts are posted
 * in time.
 */
const SLICE = 256;

/** A document that waits until earlier documents are finished. */
interface WaitingDocument {
  readonly document: Document;
  /** The number of the stage from which the document continues. */
  readonly from: number;
  /** The position of the document in the batch. */
  readonly at: number;
  /** The result of the stage before `from`. */
  readonly result: StageResult | Promise<StageResult>;
}

/** Receives the documents that leave the pipeline. `position` is the position in the batch of their source document. */
export interface PositionedSink extends Required<PipelineSink> {
  position: number;
  /** True if the output should be posted before the next document. */
  readonly due: boolean;
  /** Returns the current end of the output, for `rollback`. */
  mark(): unknown;
  /** Removes the output after a mark. */
  rollback(mark: unknown): void;
}

export interface PipelineFeederOptions {
  readonly pipeline: Pick<Pipeline, 'inOrder' | 'processOne' | 'process' | 'overdue'>;
  readonly sink: PositionedSink;
  /** Returns true if the run must stop. Waiting documents then stay unprocessed. */
  readonly stopped: () => boolean;
  /** See `GuardDocumentsOptions.guard`. */
  readonly guard: (work: () => void, moreMillis: number) => boolean;
  /** Called after each group of waiting documents. */
  readonly progressed: () => Promise<void>;
}

/**
 * Sends the documents of a batch through the pipeline, in order. While a stage waits for an answer, later documents
 * wait too. A pipeline that keeps several documents in flight gets all of them at the end of the batch.
 */
export class PipelineFeeder {
  readonly #options: PipelineFeederOptions;
  #backlog: WaitingDocument[] = [];
  #waiting: Promise<void> | undefined;

  constructor(options: PipelineFeederOptions) {
    this.#options = options;
  }

  /** True if a stage waits for an answer. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Sends a document through the stages from a number on, or lets it wait.
   * @param at the position of the document in the batch
   * @param result the result of the stage before `from`, if it must still be processed
   */
  feed(document: Document, from: number, at: number, result?: StageResult | Promise<StageResult>): void {
    const { pipeline, sink } = this.#options;
    if (this.#waiting !== undefined || !pipeline.inOrder) {
      // The error is reported when all earlier documents are finished.
      if (result instanceof Promise) result.catch(() => undefined);
      this.#backlog.push({ document, from, at, result });
      return;
    }
    sink.position = at;
    this.#waiting = pipeline.processOne(document, sink, from, result);
  }

  /** Resolves when no document waits. */
  async finish(): Promise<void> {
    const { pipeline, sink, stopped, progressed } = this.#options;
    while (this.#waiting !== undefined || this.#backlog.length > 0) {
      await this.#waiting;
      this.#waiting = undefined;
      const backlog = this.#backlog;
      this.#backlog = [];
      for (let i = 0; i < backlog.length && !stopped(); ) {
        if (pipeline.inOrder) {
          const { finished, waiting } = this.#processSome(backlog, i);
          i += finished;
          await waiting;
        } else {
          const some = backlog.slice(i, i + SLICE);
          const documents = some.map(({ document }) => document);
          await pipeline.process(documents, following(sink, some), stopped);
          i += SLICE;
        }
        await progressed();
      }
    }
  }

  /** Fails a document that has exceeded its time limit. */
  failOverdue(document: Document, at: number): void {
    const { pipeline, sink } = this.#options;
    sink.position = at;
    sink.failedDocument(document, pipeline.overdue());
  }

  /** Processes waiting documents in order, from a position in their list on. At least one of them is finished. */
  #processSome(backlog: readonly WaitingDocument[], first: number): ReturnType<typeof guardDocuments> {
    const { pipeline, sink, guard, stopped } = this.#options;
    const waitingDocument = (i: number) => backlog[first + i] as WaitingDocument;
    return guardDocuments({
      count: backlog.length - first,
      process: (i) => {
        const { document, from, at, result } = waitingDocument(i);
        sink.position = at;
        return pipeline.processOne(document, sink, from, result);
      },
      ends: () => sink.due || stopped(),
      guard,
      mark: () => {
        const mark = sink.mark();
        return () => sink.rollback(mark);
      },
      overdue: (i) => {
        const { document, at } = waitingDocument(i);
        this.failOverdue(document, at);
      },
    });
  }
}

/** Returns a sink for documents that pass through the pipeline together and leave it one family at a time. */
function following(sink: PositionedSink, documents: readonly WaitingDocument[]): PipelineSink {
  let next = 0;
  const follow = () => {
    sink.position = documents[next++]?.at ?? -1;
  };
  follow();
  return {
    // The documents of this pipeline wait for answers anyway, so a smaller part costs nothing.
    get full() {
      return sink.due;
    },
    relieve: () => sink.relieve(),
    emit: (document, isChild) => sink.emit(document, isChild),
    finished: (input) => {
      sink.finished(input);
      follow();
    },
    failedDocument: (input: Document, error: StageError) => {
      sink.failedDocument(input, error);
      follow();
    },
  };
}
