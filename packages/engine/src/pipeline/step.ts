import type { Children, Stage, StageResult } from '../component/stage.ts';
import { type Counts, noCounts, STAGE_COUNTERS } from '../counters/counters.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable, TableState } from '../document/document-table.ts';
import { classOf, contractError, requireCount } from '../errors/contract-error.ts';
import { isGiven } from './children.ts';
import type { Predicate } from './conditions.ts';
import { type RowFilter, rowFilterOf } from './row-filter.ts';
import { StageError } from './stage-error.ts';

const NOT_LATER = 'It must do its work before it returns. Use process for a stage that waits.';
/** A stage changes a table later, while the engine uses it. */
class LateTable extends Error {
  constructor(stage: Stage) {
    super(`processTable() of ${classOf(stage)} returned a promise`);
  }
}

/** One call in 64 is timed. Reading the clock for each call would take longer than most stages. */
const SAMPLE_MASK = 63;
/** Every call of a waiting stage is timed, because reading the clock is fast compared with the wait. */
const EACH_MASK = 0;
/**
 * A timed call counts at most this many milliseconds when the pace of a stage is judged. A busy machine interrupts some
 * calls for much longer, and few calls are timed.
 */
const MOST_MILLIS = 0.5;
/** After this number of consecutive refused tables, a stage gets no more tables: its documents are not suitable. */
const MAX_DECLINED = 16;

/** The counts of a stage, and the times of a sample of its calls. */
export interface StageStatistics extends Counts<typeof STAGE_COUNTERS> {
  name: string;
  /** The number of timed calls, and their total time in milliseconds. */
  timed: number;
  timedMillis: number;
}

/** A stage in its pipeline. */
export interface Step {
  readonly stage: Stage;
  readonly name: string;
  readonly condition: Predicate | undefined;
  /** Finds the rows of a table that meet the condition. */
  readonly filter: RowFilter | undefined;
  readonly statistics: StageStatistics;
  /** A bit mask. A call is timed if its number has none of these bits, so 7 selects every eighth call. */
  readonly timedMask: number;
  /** The number of refused tables since the last accepted one. */
  declined: number;
  /** The number of rows of the last table, and those that met the condition. Undefined: all. */
  lastTable: { readonly count: number; readonly rows: readonly number[] | undefined };
  /** The number of timed calls for single documents, and their total time without interruptions, in milliseconds. */
  paced: number;
  pacedMillis: number;
  /** True if the stage has emitted children, and true if it has returned a promise. */
  emits: boolean;
  waits: boolean;
}

/** Returns the statistics of a stage without any calls. */
export function newStatistics(name: string): StageStatistics {
  return { name, ...noCounts(STAGE_COUNTERS), timed: 0, timedMillis: 0 };
}

/**
 * Returns a step without any calls.
 * @param tables true if the stage gets tables, if it supports them
 */
export function newStep(
  stage: Stage,
  statistics: StageStatistics,
  condition: Predicate | undefined,
  tables = true,
  filter: RowFilter | undefined = condition && rowFilterOf(condition),
): Step {
  requireCount(stage, 'maxInFlight', stage.maxInFlight);
  return {
    stage,
    name: statistics.name,
    condition,
    filter,
    statistics,
    timedMask: stage.maxInFlight > 1 ? EACH_MASK : SAMPLE_MASK,
    declined: tables ? 0 : MAX_DECLINED,
    lastTable: { count: 0, rows: undefined },
    paced: 0,
    pacedMillis: 0,
    emits: false,
    waits: false,
  };
}

/** Returns true if a document meets the condition of the stage. Otherwise counts it as skipped. */
export function meetsCondition({ condition, statistics }: Step, document: Document): boolean {
  if (condition === undefined || condition(document)) return true;
  statistics.skipped++;
  return false;
}

/** Sends a document to the stage. Throws a `StageError`. */
export function callStage(step: Step, document: Document): StageResult | Promise<StageResult> {
  try {
    if ((step.statistics.processed++ & step.timedMask) !== 0) return step.stage.process(document);
    return timedCall(step, document);
  } catch (error) {
    throw failure(step, error);
  }
}

/** Why `callEach` ended before the last document. */
export interface CallEnd {
  /** The last children or promise that a stage has returned. */
  result: Children | Promise<StageResult> | undefined;
  error: StageError | undefined;
}

/**
 * Sends documents to the stage, without those that are undefined, bypassed, or do not meet the condition. Ends at a
 * document that fails, or for which the stage returns children or a promise. Much faster than `callStage` for each
 * document: the method is looked up once, and the calls are counted at the end.
 * @returns the number of the document at which it ended, or `end`
 */
export function callEach(
  step: Step,
  documents: readonly (Document | undefined)[],
  start: number,
  end: number,
  ended: CallEnd,
): number {
  const { stage, condition, statistics, timedMask } = step;
  const { process } = stage;
  let calls = statistics.processed;
  let skipped = 0;
  let at = start;
  try {
    for (; at < end; at++) {
      const document = documents[at];
      if (document === undefined || document.bypassed) continue;
      if (condition !== undefined && !condition(document)) {
        skipped++;
        continue;
      }
      const result = (calls++ & timedMask) !== 0 ? process.call(stage, document) : timedCall(step, document);
      if (!isGiven(result)) continue;
      ended.result = result;
      break;
    }
  } catch (error) {
    ended.error = failure(step, error);
  }
  statistics.processed = calls;
  statistics.skipped += skipped;
  return at;
}

function timedCall(step: Step, document: Document): StageResult | Promise<StageResult> {
  const { stage, statistics } = step;
  const start = performance.now();
  const note = () => {
    const millis = performance.now() - start;
    statistics.timed++;
    statistics.timedMillis += millis;
    step.paced++;
    step.pacedMillis += Math.min(millis, MOST_MILLIS);
  };
  const result = stage.process(document);
  if (isGiven(result) && isPromise(result)) return Promise.resolve(result).finally(note);
  note();
  return result;
}

/** Returns true if the result of a stage is a promise. */
export function isPromise(result: Children | Promise<StageResult>): result is Promise<StageResult> {
  return typeof (result as Promise<StageResult>).then === 'function';
}

/** Returns true if the stage accepts tables. */
export function takesTables({ stage, declined }: Step): boolean {
  return stage.processTable !== undefined && declined < MAX_DECLINED;
}

/**
 * Sends all tables of a group to the stage. Returns true if the stage has processed them. Otherwise they are unchanged.
 */
export function callWithGroup(step: Step, tables: readonly DocumentTable[]): boolean {
  const { processed, skipped } = step.statistics;
  const before = tables.length > 1 ? tables.map((table) => table.save()) : [];
  for (let i = 0; i < tables.length; i++) {
    if (callWithTable(step, tables[i] as DocumentTable)) continue;
    for (let k = 0; k < i; k++) (tables[k] as DocumentTable).restore(before[k] as TableState);
    step.statistics.processed = processed;
    step.statistics.skipped = skipped;
    return false;
  }
  return true;
}

/** Sends a table to the stage. Returns true if the stage has processed it. Otherwise the table is unchanged. */
export function callWithTable(step: Step, table: DocumentTable): boolean {
  if (!takesTables(step)) return false;
  const { statistics } = step;
  const rows = step.filter?.(table);
  const count = rows?.length ?? table.count;
  const skipped = table.count - count;
  if (count === 0) {
    statistics.skipped += skipped;
    step.lastTable = { count: skipped, rows };
    return true;
  }
  const before = table.save();
  const start = performance.now();
  let taken = false;
  try {
    taken = rows === undefined || count === table.count ? callAll(step, table) : callSome(step, table, rows);
  } catch (error) {
    if (error instanceof LateTable) throw contractError(error.message, NOT_LATER);
    // The documents are now processed one at a time, so that each one fails or succeeds separately.
  }
  if (!taken) {
    step.declined++;
    table.restore(before);
    return false;
  }
  step.declined = 0;
  statistics.processed += count;
  statistics.skipped += skipped;
  step.lastTable = { count: table.count, rows };
  statistics.timed += count;
  statistics.timedMillis += performance.now() - start;
  return true;
}

function callAll({ stage }: Step, table: DocumentTable): boolean {
  const taken: unknown = stage.processTable?.(table);
  if (taken instanceof Promise) throw new LateTable(stage);
  return taken === true;
}

function callSome(step: Step, table: DocumentTable, rows: readonly number[]): boolean {
  const selected = table.select(rows);
  if (!callAll(step, selected)) return false;
  table.merge(selected);
  return true;
}

/** Returns the error that a stage threw, with the name of the stage. */
export function failure(step: Step, error: unknown): StageError {
  if (error instanceof StageError) return error;
  step.statistics.failed++;
  return new StageError(step.name, error);
}
