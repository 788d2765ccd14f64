import type { Children, Stage, StageResult } from '../component/stage.ts';
import type { Predicate } from '../conditions/conditions.ts';
import { type RowFilter, rowFilterOf } from '../conditions/row-filter.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { classOf, contractError, requireCount } from '../errors/contract-error.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import { StageError } from './stage-error.ts';
import type { StageStatistics } from './stage-statistics.ts';

const NOT_LATER = 'It must do its work before it returns. Use process for a stage that waits.';

/** One call in 64 is timed. Reading the clock for each call would take longer than most stages. */
const SAMPLE_MASK = 63;
/** Every call of a waiting stage is timed, because reading the clock is fast compared with the wait. */
const EACH_MASK = 0;
/**
 * A timed call counts at most this many milliseconds when the pace of a stage is judged. A busy machine interrupts some
 * calls for much longer, and few calls are timed.
 */
const MOST_MILLIS = 0.5;
/** A stage with a larger mean time per document is slow, in milliseconds. */
const SLOW_MILLIS = 0.05;
/** After this number of consecutive refused tables, a stage gets no more tables: its documents are not suitable. */
const MAX_DECLINED = 16;

/** Sees what happens to each document in the stages, one document at a time. */
export interface StageObserver {
  /** A document has reached a stage. Its conditions are checked next. */
  reached(call: StageCall, document: Document): void;
  /** The document does not meet the conditions of the stage, so it passes by. */
  skipped(): void;
  /** The stage has emitted a child, which now passes through the later stages. */
  emitted(child: Document): void;
  /** A stage failed on the document. */
  failed(error: StageError): void;
}

/** Why `callEach` ended before the last document. */
export interface CallEnd {
  /** The children or the promise that the stage has returned. */
  result: Children | Promise<StageResult> | undefined;
  error: StageError | undefined;
}

/**
 * A stage in its pipeline, and the only caller of the stage. For each document it decides whether the stage is called
 * (the document may be dropped or skipped, or not meet the conditions), counts the call, times some of the calls, and
 * adds the name of the stage to its error. A schedule decides only the order of these calls.
 */
export class StageCall {
  readonly stage: Stage;
  readonly name: string;
  readonly statistics: StageStatistics;
  /** True if the stage has emitted children, and true if it has returned a promise. */
  emits = false;
  waits = false;
  observer: StageObserver | undefined = undefined;
  readonly #notices: NoticeCollector;
  readonly #condition: Predicate | undefined;
  /** Finds the rows of a table that meet the condition. */
  readonly #filter: RowFilter | undefined;
  /** A call is timed if its number has none of these bits, so 7 selects every eighth call. */
  readonly #timedMask: number;
  /** The number of refused tables since the last accepted one. */
  #declined: number;
  /** The number of timed calls for single documents, and their total time without interruptions, in milliseconds. */
  #paced = 0;
  #pacedMillis = 0;

  /**
   * @param notices counts the notices of the stage
   * @param tables true if the stage gets tables, if it supports them
   */
  constructor(
    stage: Stage,
    statistics: StageStatistics,
    notices: NoticeCollector,
    condition?: Predicate,
    tables = true,
    filter: RowFilter | undefined = condition && rowFilterOf(condition),
  ) {
    requireCount(stage, 'maxInFlight', stage.maxInFlight);
    this.stage = stage;
    this.name = statistics.name;
    this.statistics = statistics;
    this.#notices = notices;
    this.#condition = condition;
    this.#filter = filter;
    this.#timedMask = stage.maxInFlight > 1 ? EACH_MASK : SAMPLE_MASK;
    this.#declined = tables && stage.processTable !== undefined ? 0 : MAX_DECLINED;
  }

  /** True if the stage accepts tables. */
  get takesTables(): boolean {
    return this.#declined < MAX_DECLINED;
  }

  /** True if the stage needs much time for a document, so that a table saves nothing and delays its end. */
  get isSlow(): boolean {
    return this.#pacedMillis > SLOW_MILLIS * this.#paced;
  }

  /**
   * Sends a document to the stage, if it is for it.
   * @returns the children or the promise of the stage
   * @throws StageError
   */
  call(document: Document): Children | Promise<StageResult> | undefined {
    try {
      if (!this.#isFor(document)) return undefined;
      const isTimed = (this.statistics.processed++ & this.#timedMask) === 0;
      const result = isTimed ? this.#timed(document) : this.stage.process(document);
      return isGiven(result) ? this.#noted(result) : undefined;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /**
   * Sends documents to the stage, those that are for it. Ends at a document that fails, or for which the stage returns
   * children or a promise. Much faster than `call` for each document: the method is looked up once, and the calls are
   * counted at the end.
   * @returns the number of the document at which it ended, or `end`
   */
  callEach(documents: readonly (Document | undefined)[], start: number, end: number, ended: CallEnd): number {
    const { stage, statistics } = this;
    const { process } = stage;
    const timedMask = this.#timedMask;
    let calls = statistics.processed;
    let at = start;
    try {
      for (; at < end; at++) {
        const document = documents[at];
        if (document === undefined || !this.#isFor(document)) continue;
        const result = (calls++ & timedMask) !== 0 ? process.call(stage, document) : this.#timed(document);
        if (!isGiven(result)) continue;
        ended.result = this.#noted(result);
        break;
      }
    } catch (error) {
      ended.error = this.failure(error);
    }
    statistics.processed = calls;
    return at;
  }

  /**
   * Sends all tables of a group to the stage. Returns true if the stage has processed them. Otherwise they are
   * unchanged.
   */
  callTables(tables: readonly DocumentTable[]): boolean {
    const { processed, skipped } = this.statistics;
    const undo = tables.length > 1 ? tables.map((table) => table.mark()) : [];
    const undoNotices = this.#notices.mark();
    for (let i = 0; i < tables.length; i++) {
      if (this.callTable(tables[i] as DocumentTable)) continue;
      for (let k = 0; k < i; k++) undo[k]?.();
      undoNotices();
      this.statistics.processed = processed;
      this.statistics.skipped = skipped;
      return false;
    }
    return true;
  }

  /**
   * Sends a table to the stage. Returns true if the stage has processed it. Otherwise the table is unchanged.
   * @param isFinal false if documents of the table may pass through the stage again. Then the stage must not report
   * notices, because it would report them twice: such a table is refused
   */
  callTable(table: DocumentTable, isFinal = true): boolean {
    if (!this.takesTables) return false;
    const { stage, statistics } = this;
    const rows = this.#filter?.(table);
    const count = rows?.length ?? table.count;
    if (count === 0) {
      statistics.skipped += table.count;
      statistics.lastTable = { count: table.count, rows };
      return true;
    }
    const undo = table.mark();
    const undoNotices = this.#notices.mark();
    const { reports } = this.#notices;
    const start = performance.now();
    let taken: unknown = false;
    try {
      const selected = rows === undefined || count === table.count ? table : table.select(rows);
      taken = stage.processTable?.(selected);
      if (taken === true && selected !== table) table.merge(selected);
    } catch {
      // The documents are now processed one at a time, so that each one fails or succeeds separately.
      taken = false;
    }
    // The stage would change the table later, while the engine uses it.
    if (taken instanceof Promise) {
      throw contractError(`processTable() of ${classOf(stage)} returned a promise`, NOT_LATER);
    }
    const isRefused = taken === true && !isFinal && this.#notices.reports !== reports;
    if (taken !== true || isRefused) {
      if (!isRefused) this.#declined++;
      undo();
      undoNotices();
      return false;
    }
    this.#declined = 0;
    statistics.processed += count;
    statistics.skipped += table.count - count;
    statistics.lastTable = { count: table.count, rows };
    statistics.timed += count;
    statistics.timedMillis += performance.now() - start;
    return true;
  }

  /** Returns the error that the stage threw for a document, with the name of the stage. */
  failure(error: unknown): StageError {
    if (error instanceof StageError) return error;
    this.statistics.failed++;
    const named = new StageError(this.name, error);
    this.observer?.failed(named);
    return named;
  }

  /** Returns true if the stage must process the document. */
  #isFor(document: Document): boolean {
    if (document.bypassed) return false;
    this.observer?.reached(this, document);
    if (this.#condition === undefined || this.#condition(document)) return true;
    this.statistics.skipped++;
    this.observer?.skipped();
    return false;
  }

  #timed(document: Document): StageResult | Promise<StageResult> {
    const { stage, statistics } = this;
    const start = performance.now();
    const note = () => {
      const millis = performance.now() - start;
      statistics.timed++;
      statistics.timedMillis += millis;
      this.#paced++;
      this.#pacedMillis += Math.min(millis, MOST_MILLIS);
    };
    const result = stage.process(document);
    if (isGiven(result) && isPromise(result)) return Promise.resolve(result).finally(note);
    note();
    return result;
  }

  #noted(result: Children | Promise<StageResult>): Children | Promise<StageResult> {
    if (isPromise(result)) this.waits = true;
    else this.emits = true;
    return result;
  }
}

/** Returns true if a stage returned children. A custom stage may return null instead of undefined for no children. */
export function isGiven(result: StageResult | Promise<StageResult>): result is Children | Promise<StageResult> {
  return result !== undefined && result !== null;
}

/** Returns true if the result of a stage is a promise. */
export function isPromise(result: Children | Promise<StageResult>): result is Promise<StageResult> {
  return typeof (result as Promise<StageResult>).then === 'function';
}
