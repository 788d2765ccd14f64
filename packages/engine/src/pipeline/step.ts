import { performance } from 'node:perf_hooks';
import type { Stage, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Predicate } from './conditions.ts';
import { StageError } from './stage-error.ts';

/** One call in this many is timed: reading the clock for each would cost more than most stages do. */
const TIMED_EVERY = 64;
/** A stage that has declined so many tables in a row is not asked again: its documents are not of the kind. */
const MAX_DECLINED = 16;

/** Counts of one stage, and times of a sample of its calls. */
export interface StageStatistics {
  name: string;
  processed: number;
  children: number;
  errors: number;
  /** How many calls were timed, and how long those took, in milliseconds. */
  timed: number;
  timedMillis: number;
}

/** A stage in its pipeline. */
export interface Step {
  readonly stage: Stage;
  readonly name: string;
  readonly condition: Predicate | undefined;
  readonly statistics: StageStatistics;
  /** How often it would not take a table, since it last did. */
  declined: number;
}

/** Sends a document to the stage. Throws a `StageError`. */
export function callStage(step: Step, document: Document): StageResult | Promise<StageResult> {
  const { statistics } = step;
  try {
    if (statistics.processed++ % TIMED_EVERY !== 0) return step.stage.process(document);
    const start = performance.now();
    const result = step.stage.process(document);
    statistics.timed++;
    statistics.timedMillis += performance.now() - start;
    return result;
  } catch (error) {
    throw failure(step, error);
  }
}

/** Whether the stage has taken the table. */
export function callWithTable(step: Step, table: DocumentTable): boolean {
  const { stage, statistics, condition } = step;
  if (stage.processTable === undefined || condition !== undefined || step.declined >= MAX_DECLINED) return false;
  const before = table.save();
  const start = performance.now();
  let taken = false;
  try {
    taken = stage.processTable(table);
  } catch {
    // One by one the documents fail, or do not, each for itself.
  }
  if (!taken) {
    step.declined++;
    table.restore(before);
    return false;
  }
  step.declined = 0;
  statistics.processed += table.count;
  statistics.timed += table.count;
  statistics.timedMillis += performance.now() - start;
  return true;
}

/** What a stage threw, with its name. */
export function failure(step: Step, error: unknown): StageError {
  if (error instanceof StageError) return error;
  step.statistics.errors++;
  return new StageError(step.name, error);
}
