import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { Pipeline, PipelineSink } from '../pipeline/pipeline.ts';
import type { StageError } from '../pipeline/stage-error.ts';
import { guardDocuments } from './guard-documents.ts';

/**
 * How many documents go at once to a pipeline that keeps several in flight. The number is small, so that parts are
 * posted in time.
 */
const SLICE = 256;

/** A document that waits for its turn. */
interface WaitingDocument {
  readonly document: Document;
  /** The number of the stage that it continues from. */
  readonly from: number;
  /** Its position in the batch. */
  readonly at: number;
  /** What the stage before `from` has returned. */
  readonly result: StageResult | Promise<StageResult>;
}

/** Takes what leaves the pipeline. `position` is the position in the batch of the document it comes from. */
export interface PositionedSink extends Required<PipelineSink> {
  position: number;
  /** Whether the output should be taken away between two documents. */
  readonly due: boolean;
  /** How far the output is. */
  mark(): unknown;
  /** Removes the output since a mark. */
  rollback(mark: unknown): void;
}

export interface PipelineFeederOptions {
  readonly pipeline: Pick<Pipeline, 'inOrder' | 'processOne' | 'process' | 'overdue'>;
  readonly sink: PositionedSink;
  /** Whether the run must stop. Waiting documents then stay unprocessed. */
  readonly stopped: () => boolean;
  /** As in `guardDocuments`. */
  readonly guard: (work: () => void, moreMillis: number) => boolean;
  /** Called after each group of documents that have waited. */
  readonly progressed: () => Promise<void>;
}

/**
 * Sends the documents of a batch through the pipeline, in order. While a stage waits for an answer, the documents that
 * come after wait too. A pipeline that keeps several documents in flight gets them all at the end of the batch.
 */
export class PipelineFeeder {
  readonly #options: PipelineFeederOptions;
  #backlog: WaitingDocument[] = [];
  #waiting: Promise<void> | undefined;

  constructor(options: PipelineFeederOptions) {
    this.#options = options;
  }

  /** Whether a stage waits for an answer. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Sends a document through the stages, starting at a stage number, or lets it wait.
   * @param at its position in the batch
   * @param result what the stage before `from` has returned, if it must still be processed
   */
  feed(document: Document, from: number, at: number, result?: StageResult | Promise<StageResult>): void {
    const { pipeline, sink } = this.#options;
    if (this.#waiting !== undefined || !pipeline.inOrder) {
      // An error is reported when it is the document's turn.
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

  /** A document has used up its time. */
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

/** A sink for documents that go through the pipeline together, and leave it one family at a time. */
function following(sink: PositionedSink, documents: readonly WaitingDocument[]): PipelineSink {
  let next = 0;
  const follow = () => {
    sink.position = documents[next++]?.at ?? -1;
  };
  follow();
  return {
    // Its documents wait anyway, so a smaller part costs nothing.
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
