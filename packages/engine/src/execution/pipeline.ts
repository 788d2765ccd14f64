import type { Registry } from '../component/registry.ts';
import type { Document } from '../document/document.ts';
import { ConcurrentSchedule } from './concurrent.ts';
import type { Guard } from './guard.ts';
import type { PipelineConfig } from './pipeline-config.ts';
import { RowSchedule } from './rows.ts';
import type { DocumentFeed, PipelineSink, TableSink } from './sink.ts';
import type { StageCall } from './stage-call.ts';
import { type StageStatistics, StatisticsMark } from './stage-statistics.ts';
import { type PipelineContext, startStages, stopStages } from './start-stages.ts';
import { TableSchedule } from './tables.ts';
import { Tracer } from './trace.ts';

const unguarded: Guard = (work) => {
  work();
  return true;
};

/**
 * A chain of stages. Each document passes through all stages and is changed in place. Children that a stage emits pass
 * through the later stages before their parent. Dropped and skipped documents skip the remaining stages.
 *
 * One file of this folder answers each question:
 * - What happens to a document, or a table, in one stage? `stage-call.ts`, the only caller of a stage.
 * - What happens to the children that a stage emits? `children.ts`, the only reader of children.
 * - Which document passes through which stage next? The schedules, which only order the calls: `rows.ts` (one document
 *   at a time), `concurrent.ts` (stages that process several documents at the same time), `tables.ts` (whole tables).
 *   `batch-execution.ts` chooses between them for the documents of a batch, `document-queue.ts` holds the documents that
 *   wait for earlier ones.
 * - When is a computation interrupted? `deadline.ts` knows the limit, `guard.ts` enforces it.
 * - What is restored after an interruption? `undo.ts`: each object with state has a method `mark`.
 */
export class Pipeline {
  readonly #calls: readonly StageCall[];
  /** The schedule for single documents. */
  readonly rows: RowSchedule;
  /** The schedule for stages that process several documents at the same time. */
  #concurrent: ConcurrentSchedule | undefined;
  /** Mark it before work that may be interrupted and repeated. */
  readonly statisticsMark: StatisticsMark;

  private constructor(calls: readonly StageCall[], guard: Guard = unguarded) {
    this.#calls = calls;
    this.statisticsMark = new StatisticsMark(this.statistics);
    this.rows = new RowSchedule(calls, guard);
    const waits = calls.some(({ stage }) => stage.maxInFlight > 1);
    this.#concurrent = waits ? new ConcurrentSchedule(calls, this.rows, guard) : undefined;
  }

  /**
   * Creates and starts the stages, in order. If a stage fails, stops the started stages and throws `HR_STAGE_START`
   * with the name of the stage.
   */
  static async start(config: PipelineConfig, registry: Registry, context: PipelineContext): Promise<Pipeline> {
    return new Pipeline(await startStages(config, registry, context), context.guard);
  }

  get statistics(): StageStatistics[] {
    return this.#calls.map((call) => call.statistics);
  }

  /** True if no stage keeps several documents in flight, so that documents are processed one at a time. */
  get inOrder(): boolean {
    return this.#concurrent === undefined;
  }

  /**
   * Sends documents through the pipeline, in order.
   * @param stopped called before each document; if it returns true, the remaining documents stay unprocessed
   * @returns the number of processed documents
   */
  async process(documents: readonly Document[], sink: PipelineSink, stopped: () => boolean): Promise<number> {
    if (this.#concurrent !== undefined) return stopped() ? 0 : this.#concurrent.process(documents, sink);
    for (let i = 0; i < documents.length; i++) {
      if (stopped()) return i;
      const waiting = this.rows.process(documents[i] as Document, sink);
      if (waiting !== undefined) await waiting;
    }
    return documents.length;
  }

  /** Returns a schedule that sends whole tables through all stages. */
  tables(sink: TableSink, feed: DocumentFeed): TableSchedule {
    return new TableSchedule(this.#calls, this.rows, sink, feed);
  }

  /**
   * Returns a tracer, which from now on records each document after each stage. All documents pass through the stages
   * one at a time.
   * @param classes the classes of the stages, in order
   * @param maxCharacters the maximum number of characters of documents that the tracer records
   */
  trace(classes: readonly string[], maxCharacters: number): Tracer {
    this.#concurrent = undefined;
    const tracer = new Tracer(new Map(this.#calls.map((call, i) => [call, classes[i] ?? ''])), maxCharacters);
    for (const call of this.#calls) call.observer = tracer;
    return tracer;
  }

  /** Stops all stages, then throws the first error, if any. */
  async stop(): Promise<void> {
    await stopStages(this.#calls);
  }
}
