import type { Registry } from '../component/registry.ts';
import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { adopt, closeChildren, isGiven, iterateChildren } from './children.ts';
import type { PipelineConfig } from './pipeline-config.ts';
import { type DocumentRunner, type Guard, type Outlet, SegmentedPipeline } from './segmented-pipeline.ts';
import { givenUp, overdue, StageError } from './stage-error.ts';
import { type PipelineContext, startStages, stopStages } from './start-stages.ts';
import { StatisticsMark } from './statistics-mark.ts';
import {
  callStage,
  callWithTable,
  failure,
  isPromise,
  meetsCondition,
  type StageStatistics,
  type Step,
} from './step.ts';
import { TablePass } from './table-pass.ts';
import type { DocumentFeed, TableSink } from './table-sink.ts';
import { Tracer } from './trace.ts';

/** Receives the results of the documents of a pipeline, in their order. */
export interface PipelineSink {
  /**
   * Receives a document that leaves the pipeline. Children leave before their parent. Dropped and skipped documents
   * leave too.
   */
  emit(document: Document, isChild: boolean): void;
  /** Called after an input and its children have left. */
  finished(input: Document): void;
  /** Called if an input failed. Children that left before are kept. */
  failedDocument(input: Document, error: StageError): void;
  /** True if the output must be taken before the next document. If absent, this is never necessary. */
  readonly full?: boolean;
  /** Waits until the output is taken, and may block. Returns false if no more output is needed. */
  relieve?(): Promise<boolean>;
}

const unguarded: Guard = (work) => {
  work();
  return true;
};

/**
 * A chain of stages. Each document passes through all stages and is changed in place. Children that a stage emits pass
 * through the later stages before their parent. Dropped and skipped documents skip the remaining stages.
 */
export class Pipeline implements DocumentRunner {
  readonly #steps: readonly Step[];
  readonly #guard: Guard;
  /** Set this before work that may be interrupted and repeated. */
  readonly statisticsMark: StatisticsMark;
  #atWork: Step | undefined;
  /** The implementation for stages that process several documents at the same time. */
  readonly #segmented: SegmentedPipeline | undefined;

  private constructor(steps: readonly Step[], guard: Guard = unguarded) {
    this.#steps = steps;
    this.#guard = guard;
    this.statisticsMark = new StatisticsMark(steps);
    const waits = steps.some(({ stage }) => stage.maxInFlight > 1);
    this.#segmented = waits ? new SegmentedPipeline(steps, this, guard) : undefined;
  }

  /**
   * Creates and starts the stages, in order. If a stage fails, stops the started stages and throws `HR_STAGE_START`
   * with the name of the stage.
   */
  static async start(config: PipelineConfig, registry: Registry, context: PipelineContext): Promise<Pipeline> {
    return new Pipeline(await startStages(config, registry, context), context.guard);
  }

  get statistics(): StageStatistics[] {
    return this.#steps.map((step) => step.statistics);
  }

  /**
   * Sends documents through the pipeline, in order.
   * @param stopped called before each document; if it returns true, the remaining documents stay unprocessed
   * @returns the number of processed documents
   */
  async process(documents: readonly Document[], sink: PipelineSink, stopped: () => boolean): Promise<number> {
    if (this.#segmented !== undefined) return stopped() ? 0 : this.#segmented.process(documents, sink);
    for (let i = 0; i < documents.length; i++) {
      if (stopped()) return i;
      const waiting = this.processOne(documents[i] as Document, sink);
      if (waiting !== undefined) await waiting;
    }
    return documents.length;
  }

  /**
   * Sends a table through the stages, up to a stage that does not support tables, or that drops or skips documents.
   * @returns the number of the stage from which the documents must continue one at a time
   */
  processTable(table: DocumentTable): number {
    for (let i = 0; i < this.#steps.length; i++) {
      if (table.hasBypassed || !callWithTable(this.#steps[i] as Step, table)) return i;
    }
    return this.#steps.length;
  }

  /** Returns a pass that sends whole tables through all stages. */
  tablePass(sink: TableSink, feeder: DocumentFeed): TablePass {
    return new TablePass(this.#steps, sink, feeder);
  }

  /** Returns the error for a document whose processing was interrupted, for the stage that was called last. */
  overdue(): StageError {
    if (this.#atWork !== undefined) this.#atWork.statistics.failed++;
    return new StageError(this.#atWork?.name ?? '', overdue());
  }

  /** The number of stages. */
  get length(): number {
    return this.#steps.length;
  }

  /**
   * Sends one document through all stages, or through the stages from a number on. Never throws. Returns a promise only
   * if a stage waits.
   * @param result the result of the stage before `from` for this document, if it must still be processed
   */
  processOne(
    input: Document,
    sink: PipelineSink,
    from = 0,
    result?: StageResult | Promise<StageResult>,
  ): Promise<void> | undefined {
    try {
      const outlet = new SinkOutlet(input, sink);
      const to = this.#steps.length;
      const waiting = isGiven(result)
        ? this.#runAfter(result, input, from, to, outlet)
        : this.run(input, from, to, outlet);
      if (waiting !== undefined) {
        return waiting.then(
          () => sink.finished(input),
          (error) => sink.failedDocument(input, error as StageError),
        );
      }
      sink.finished(input);
    } catch (error) {
      sink.failedDocument(input, error as StageError);
    }
    return undefined;
  }

  /** True if no stage keeps several documents in flight, so that documents are processed one at a time. */
  get inOrder(): boolean {
    return this.#segmented === undefined;
  }

  /**
   * Creates a tracer, which records each document after each stage.
   * @param classes the classes of the stages, in order
   * @param maxCharacters the maximum number of characters of documents that the tracer records
   */
  tracer(classes: readonly string[], maxCharacters: number): Tracer {
    return new Tracer(this.#steps, classes, maxCharacters, this.#guard);
  }

  /** Stops all stages, then throws the first error, if any. */
  async stop(): Promise<void> {
    await stopStages(this.#steps);
  }

  /** Runs the stages from `from` to `to` (exclusive) on one document. Throws a `StageError`. */
  run(document: Document, from: number, to: number, outlet: Outlet): Promise<void> | undefined {
    for (let i = from; i < to; i++) {
      if (document.bypassed) break;
      const step = this.#steps[i] as Step;
      if (!meetsCondition(step, document)) continue;
      this.#atWork = step;
      const result = callStage(step, document);
      if (!isGiven(result)) continue;
      if (isPromise(result)) step.waits = true;
      else step.emits = true;
      return this.#runAfter(result, document, i + 1, to, outlet);
    }
    outlet.emit(document);
    return undefined;
  }

  /** Continues after a stage that emits children or waits, in the range from `from` to `to` (exclusive). */
  #runAfter(
    result: Children | Promise<StageResult>,
    document: Document,
    from: number,
    to: number,
    outlet: Outlet,
  ): Promise<void> | undefined {
    const step = this.#steps[from - 1] as Step;
    if (isPromise(result)) {
      return result.then(
        async (children) => {
          if (isGiven(children)) {
            await this.#guarded(() => this.runChildren(step, children, document, from, to, outlet));
          }
          if (from === to) outlet.emit(document);
          else await this.#guarded(() => this.run(document, from, to, outlet));
        },
        (error) => {
          throw failure(step, error);
        },
      );
    }
    const waiting = this.runChildren(step, result, document, from, to, outlet);
    if (waiting !== undefined) return waiting.then(() => this.#guarded(() => this.run(document, from, to, outlet)));
    return this.run(document, from, to, outlet);
  }

  /** Runs work with the time limit, if a limit is set. */
  #guarded(work: () => Promise<void> | undefined): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    const begin = () => {
      waiting = work();
    };
    if (!this.#guard(begin)) throw this.overdue();
    return waiting;
  }

  /**
   * Processes the children of a document one at a time. Each child passes through the whole range before the next one
   * is generated. Waits if a stage waits or if the outlet is full, because the children of one document may need more
   * memory than available.
   */
  runChildren(
    step: Step,
    children: Children,
    parent: Document,
    from: number,
    to: number,
    outlet: Outlet,
  ): Promise<void> | undefined {
    let iterator: Iterator<Document> | undefined;
    let ended = false;
    const next = (): Document | undefined => {
      // The time limit also applies to generating the children.
      this.#atWork = step;
      try {
        iterator ??= iterateChildren(children);
        const { done, value } = iterator.next();
        if (done === true) return undefined;
        step.statistics.children++;
        adopt(value, parent);
        return value;
      } catch (error) {
        throw failure(step, error);
      }
    };
    /** Processes children until a child must wait. */
    const advance = (): Promise<void> | undefined => {
      while (!outlet.full) {
        const child = next();
        if (child === undefined) {
          ended = true;
          return undefined;
        }
        try {
          const waiting = this.run(child, from, to, outlet);
          if (waiting !== undefined) return waiting;
        } catch (error) {
          closeChildren(iterator);
          throw error;
        }
      }
      return undefined;
    };
    const first = advance();
    if (ended) return undefined;
    return (async () => {
      try {
        for (let waiting = first; !ended; waiting = this.#guarded(advance)) {
          await waiting;
          if (outlet.full && !(await outlet.relieve())) throw new StageError(step.name, givenUp());
        }
      } catch (error) {
        closeChildren(iterator);
        throw error;
      }
    })();
  }
}

/** The outlet of an input document and its children. */
class SinkOutlet implements Outlet {
  readonly #input: Document;
  readonly #sink: PipelineSink;

  constructor(input: Document, sink: PipelineSink) {
    this.#input = input;
    this.#sink = sink;
  }

  get full(): boolean {
    return this.#sink.full === true;
  }

  emit(document: Document): void {
    this.#sink.emit(document, document !== this.#input);
  }

  async relieve(): Promise<boolean> {
    return (await this.#sink.relieve?.()) ?? true;
  }
}
