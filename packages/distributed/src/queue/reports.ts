import type { ChunkOutcome, FailedInChunk } from '@headrace/engine';
import { parseJson } from '@headrace/engine';
import type { BatchHeader } from './headers.ts';
import { shortReason } from './short-reason.ts';

/** The result of a message at a worker or an indexer: the value of an event, as JSON. */
export interface BatchReport {
  readonly batch: number;
  readonly attempt: string;
  /** The number of the message in its attempt. Absent in the report of a worker. */
  readonly part?: number;
  /** The number of messages that the worker has sent to indexers; 0 if it has indexed the documents itself. */
  readonly parts: number;
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** The first failed documents, as many as fit into a message. */
  readonly failures: readonly FailedInChunk[];
}

/** The maximum number of failures in a report, and of their characters. Brokers refuse long messages. */
const MAX_FAILURES = 100;
const MAX_CHARACTERS = 200_000;

/** Returns the report about a message. */
export function reportOf(header: BatchHeader, attempt: string, parts: number, outcome: ChunkOutcome): BatchReport {
  const { created, succeeded, failed, dropped, failures } = outcome;
  return {
    batch: header.batch,
    attempt,
    ...(header.part === undefined ? {} : { part: header.part }),
    parts,
    created,
    // Documents that were forwarded to another topic are not finished.
    succeeded: parts > 0 ? 0 : succeeded,
    failed,
    dropped,
    failures: listed(failures),
  };
}

function listed(failures: readonly FailedInChunk[]): FailedInChunk[] {
  const some: FailedInChunk[] = [];
  let characters = 0;
  for (const failure of failures.slice(0, MAX_FAILURES)) {
    const short = { ...failure, message: shortReason(failure.message) };
    characters += JSON.stringify(short).length;
    if (characters > MAX_CHARACTERS) break;
    some.push(short);
  }
  return some;
}

/** Reads a report; undefined if the value is not one, because another program has written it. */
export function readReport(value: Buffer): BatchReport | undefined {
  try {
    const report = parseJson(value.toString()) as Partial<BatchReport> | null;
    const numbers = [report?.batch, report?.parts, report?.created, report?.succeeded, report?.failed, report?.dropped];
    if (typeof report?.attempt !== 'string' || !Array.isArray(report.failures)) return undefined;
    return numbers.every(Number.isSafeInteger) ? (report as BatchReport) : undefined;
  } catch {
    return undefined;
  }
}
