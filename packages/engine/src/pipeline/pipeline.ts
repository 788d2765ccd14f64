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
import { callStage, callWithTable, failure, isPromise, type StageStatistics, type Step } from './step.ts';
import { type DocumentFeed, suitTables, TablePass, type TableSink } from './table-pass.ts';
import { Tracer } from './trace.ts';

/** Receives the results of the documents that entered a pipeline, in their order. */
export interface PipelineSink {
  /** A document leaves the pipeline: children before their parent. Dropped and skipped documents leave it too. */
  emit(document: Document, isChild: boolean): void;
  /** An input and its children have left. */
  finished(input: Document): void;
  /** An input failed. Children that left before are kept. */
  failedDocument(input: Document, error: StageError): void;
  /** Whether the output must be taken away before the next document. Never, if absent. */
  readonly full?: boolean;
  /** Takes the output away, which may block. Returns false if no more is wanted. */
  relieve?(): Promise<boolean>;
}

const unguarded: Guard = (work) => {
  work();
  return true;
};

/**
 * A chain of stages. A document passes all of them and is changed in place. Children that a stage emits pass the later
 * stages before their parent does. Dropped and skipped documents pass the remaining stages unchanged.
 */
export class Pipeline implements DocumentRunner {
  readonly #steps: readonly Step[];
  readonly #guard: Guard;
  /** Set this before work that may be ended and repeated. */
  readonly statisticsMark: StatisticsMark;
  #atWork: Step | undefined;
  /** For pipelines with stages that keep several documents in flight. */
  readonly #segmented: SegmentedPipeline | undefined;

  private constructor(steps: readonly Step[], guard: Guard = unguarded) {
    this.#steps = steps;
    this.#guard = guard;
    this.statisticsMark = new StatisticsMark(steps);
    const waits = steps.some(({ stage }) => stage.maxInFlight > 1);
    this.#segmented = waits ? new SegmentedPipeline(steps, this, guard) : undefined;
  }

  /**
   * Creates and starts the stages, in order. If one fails, those that were started are stopped, and the error is thrown
   * (`HR_STAGE_START`, naming the stage).
   */
  static async start(config: PipelineConfig, registry: Registry, context: PipelineContext): Promise<Pipeline> {
    return new Pipeline(await startStages(config, registry, context), context.guard);
  }

  get statistics(): StageStatistics[] {
    return this.#steps.map((step) => step.statistics);
  }

  /**
   * Sends documents through the pipeline, in order. Returns a promise only if a stage waits.
   * @param stopped called before each document; true ends early, and the remaining documents stay unprocessed
   * @returns how many documents were taken
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
   * Sends a table through the stages, until a stage does not support tables, or drops or skips documents.
   * @returns the number of the stage from which its documents continue one by one
   */
  processTable(table: DocumentTable): number {
    for (let i = 0; i < this.#steps.length; i++) {
      if (table.hasBypassed || !callWithTable(this.#steps[i] as Step, table)) return i;
    }
    return this.#steps.length;
  }

  /** Whether `tablePass` may be used for the next table. */
  get suitsTables(): boolean {
    return suitTables(this.#steps);
  }

  /** Sends whole tables through all stages. */
  tablePass(sink: TableSink, feeder: DocumentFeed): TablePass {
    return new TablePass(this.#steps, sink, feeder);
  }

  /** The failure of a document whose processing was ended, reported for the stage that was called last. */
  overdue(): StageError {
    if (this.#atWork !== undefined) this.#atWork.statistics.errors++;
    return new StageError(this.#atWork?.name ?? '', overdue());
  }

  /** How many stages there are. */
  get length(): number {
    return this.#steps.length;
  }

  /**
   * Sends one document through all stages, or starting at a stage number. It never throws. Returns a promise only if a
   * stage waits.
   * @param result what the stage before `from` returned for this document, if it must still be processed
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

  /** Whether every document can be processed without waiting and without interruption. */
  get inOrder(): boolean {
    return this.#segmented === undefined;
  }

  /**
   * Creates a tracer, which records each document after each stage.
   * @param classes the classes of the stages, in order
   * @param maxCharacters how many characters of documents it records at most
   */
  tracer(classes: readonly string[], maxCharacters: number): Tracer {
    return new Tracer(this.#steps, classes, maxCharacters, this.#guard);
  }

  /** Stops all stages. Then throws the first error, if any. */
  async stop(): Promise<void> {
    await stopStages(this.#steps);
  }

  /** Runs the stages `[from, to)` on one document. Throws a `StageError`. */
  run(document: Document, from: number, to: number, outlet: Outlet): Promise<void> | undefined {
    for (let i = from; i < to; i++) {
      if (document.bypassed) break;
      const step = this.#steps[i] as Step;
      if (step.condition !== undefined && !step.condition(document)) continue;
      this.#atWork = step;
      const result = callStage(step, document);
      if (!isGiven(result)) continue;
      step.emits = true;
      return this.#runAfter(result, document, i + 1, to, outlet);
    }
    outlet.emit(document);
    return undefined;
  }

  /** Continues after a stage that emits children or waits, in the range `[from, to)`. */
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

  /** Runs work that must end within the time limit, if a limit is set. */
  #guarded(work: () => Promise<void> | undefined): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    const begin = () => {
      waiting = work();
    };
    if (!this.#guard(begin)) throw this.overdue();
    return waiting;
  }

  /**
   * Takes the children of a document one by one. Each child passes the whole range before the next is generated. Waits
   * if a stage waits, and if the outlet is full: one document may have more children than fit into memory.
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
      // Generating the children may take too long, too.
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
    /** Processes children until one must wait. */
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

/** The outlet of an input and its children. */
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
