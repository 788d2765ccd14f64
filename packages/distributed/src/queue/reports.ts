import type { ChunkOutcome, FailedInChunk } from '@headrace/engine';
import type { BatchHeader } from './headers.ts';

/** What a worker or an indexer has done with a message: the value of an event, as JSON. */
export interface BatchReport {
  readonly batch: number;
  readonly attempt: string;
  /** The message of the attempt that an indexer has written; absent in the report of a worker. */
  readonly part?: number;
  /** How many messages with documents the worker has sent to indexers; 0 if it has indexed the documents itself. */
  readonly parts: number;
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** The failed documents; of many, only the first. */
  readonly failures: readonly FailedInChunk[];
}

/** A report lists at most this many failures. */
const MAX_FAILURES = 100;

/** The report about a message. */
export function reportOf(header: BatchHeader, attempt: string, parts: number, outcome: ChunkOutcome): BatchReport {
  const { created, succeeded, failed, dropped, failures } = outcome;
  return {
    batch: header.batch,
    attempt,
    ...(header.part === undefined ? {} : { part: header.part }),
    parts,
    created,
    // Documents that went to another topic are not finished.
    succeeded: parts > 0 ? 0 : succeeded,
    failed,
    dropped,
    failures: failures.slice(0, MAX_FAILURES),
  };
}

/** Reads a report; undefined if the value is not one, because another program has written it. */
export function readReport(value: Buffer): BatchReport | undefined {
  try {
    const report = JSON.parse(value.toString()) as Partial<BatchReport> | null;
    const numbers = [report?.batch, report?.parts, report?.created, report?.succeeded, report?.failed, report?.dropped];
    if (typeof report?.attempt !== 'string' || !Array.isArray(report.failures)) return undefined;
    return numbers.every(Number.isSafeInteger) ? (report as BatchReport) : undefined;
  } catch {
    return undefined;
  }
}
