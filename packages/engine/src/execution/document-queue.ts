import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { type Guard, type GuardedWork, runGroup } from './guard.ts';
import type { Pipeline } from './pipeline.ts';
import type { DocumentFeed, PipelineSink, QueueSink } from './sink.ts';
import type { StageError } from './stage-error.ts';

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
  readonly position: number;
  /** The result of the stage before `from`. */
  readonly result: StageResult | Promise<StageResult>;
}

export interface DocumentQueueOptions {
  readonly pipeline: Pick<Pipeline, 'inOrder' | 'rows' | 'process'>;
  readonly sink: QueueSink;
  /** Returns true if the run must stop. Waiting documents then stay unprocessed. */
  readonly stopped: () => boolean;
  readonly guard: Guard;
  /** Called after each group of waiting documents. */
  readonly progressed: () => Promise<void>;
}

/**
 * Sends the documents of a batch through the pipeline, in order. While a stage waits for an answer, later documents
 * wait too. A pipeline that keeps several documents in flight gets all of them at the end of the batch.
 */
export class DocumentQueue implements DocumentFeed {
  readonly #options: DocumentQueueOptions;
  #backlog: WaitingDocument[] = [];
  #waiting: Promise<void> | undefined;

  constructor(options: DocumentQueueOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  feed(document: Document, from: number, position: number, result?: StageResult | Promise<StageResult>): void {
    const { pipeline, sink } = this.#options;
    if (this.#waiting !== undefined || !pipeline.inOrder) {
      // The error is reported when all earlier documents are finished.
      if (result instanceof Promise) result.catch(() => undefined);
      this.#backlog.push({ document, from, position, result });
      return;
    }
    sink.position = position;
    this.#waiting = pipeline.rows.process(document, sink, from, result);
  }

  /** Resolves when no document waits. */
  async finish(): Promise<void> {
    while (this.#waiting !== undefined || this.#backlog.length > 0) {
      await this.#waiting;
      this.#waiting = undefined;
      const backlog = this.#backlog;
      this.#backlog = [];
      if (this.#options.pipeline.inOrder) await this.#processInOrder(backlog);
      else await this.#processSlices(backlog);
    }
  }

  /** Fails a document that has exceeded its time limit. */
  failOverdue(document: Document, position: number): void {
    const { pipeline, sink } = this.#options;
    sink.position = position;
    sink.failedDocument(document, pipeline.rows.overdue());
  }

  async #processInOrder(backlog: readonly WaitingDocument[]): Promise<void> {
    const { pipeline, sink, guard, stopped, progressed } = this.#options;
    const work: GuardedWork = {
      count: backlog.length,
      guard,
      mark: () => sink.mark(),
      process: (i) => {
        const { document, from, position, result } = backlog[i] as WaitingDocument;
        sink.position = position;
        return pipeline.rows.process(document, sink, from, result);
      },
      ends: () => sink.due || stopped(),
      overdue: (i) => {
        const { document, position } = backlog[i] as WaitingDocument;
        this.failOverdue(document, position);
      },
    };
    for (let i = 0; i < backlog.length && !stopped(); ) {
      const { finished, waiting } = runGroup(work, i);
      i += finished;
      await waiting;
      await progressed();
    }
  }

  async #processSlices(backlog: readonly WaitingDocument[]): Promise<void> {
    const { pipeline, sink, stopped, progressed } = this.#options;
    for (let i = 0; i < backlog.length && !stopped(); i += SLICE) {
      const slice = backlog.slice(i, i + SLICE);
      const documents = slice.map(({ document }) => document);
      await pipeline.process(documents, following(sink, slice), stopped);
      await progressed();
    }
  }
}

/** Returns a sink for documents that pass through the pipeline together and leave it one family at a time. */
function following(sink: QueueSink, documents: readonly WaitingDocument[]): PipelineSink {
  let next = 0;
  const follow = () => {
    sink.position = documents[next++]?.position ?? -1;
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
