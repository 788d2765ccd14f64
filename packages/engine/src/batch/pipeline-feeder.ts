import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { Pipeline, PipelineSink } from '../pipeline/pipeline.ts';
import type { StageError } from '../pipeline/stage-error.ts';

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
}

export interface PipelineFeederOptions {
  readonly pipeline: Pick<Pipeline, 'inOrder' | 'processOne' | 'process' | 'overdue'>;
  readonly sink: PositionedSink;
  /** Returns true if the run must stop. Waiting documents then stay unprocessed. */
  readonly stopped: () => boolean;
  /**
   * Runs work within the time limit of a document. Returns false if V8 interrupted the work. In this case, its effects
   * are rolled back.
   */
  readonly guard: (work: () => void) => boolean;
  /** Called after each document that has waited, and after each slice of such documents. */
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
      const slice = pipeline.inOrder ? 1 : SLICE;
      for (let i = 0; i < backlog.length && !stopped(); i += slice) {
        const some = backlog.slice(i, i + slice);
        if (pipeline.inOrder) await this.#processGuarded(some[0] as WaitingDocument);
        else {
          const documents = some.map(({ document }) => document);
          await pipeline.process(documents, following(sink, some), stopped);
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

  #processGuarded({ document, from, at, result }: WaitingDocument): Promise<void> | undefined {
    const { pipeline, sink, guard } = this.#options;
    sink.position = at;
    let waiting: Promise<void> | undefined;
    const work = () => {
      waiting = pipeline.processOne(document, sink, from, result);
    };
    if (!guard(work)) this.failOverdue(document, at);
    return waiting;
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
    get full() {
      return sink.full;
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
