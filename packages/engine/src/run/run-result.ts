import type { Problem } from '../config/problem.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { DocumentCounts } from './counters.ts';

/** How a connector of a run ended. */
export interface ConnectorResult {
  name: string;
  /** `skipped`: an earlier one failed, or the run was stopped. */
  status: 'complete' | 'failed' | 'stopped' | 'skipped';
  /** Whether it fed a pipeline; one that did not has no counts. */
  hasPipeline: boolean;
  counts: DocumentCounts;
  /** Publish calls; more than `counts.published` when documents were collapsed. */
  received: number;
  seconds: number;
  /** For a failed one, the reference's words: `Connector exception.`, with or without a time. */
  error?: { text: string; timed: boolean };
  /** A line that the connector gave for the summary. */
  message?: string;
}

/** A document that failed, kept up to a bound for each run. */
export interface FailedDocument {
  id: string;
  connector: string;
  /** What failed on it: the name of a stage, `indexer`, or `connector` for a record that could not be read. */
  at: string;
  failure: Failure;
}

/** How many failed documents a run keeps; the counts go on beyond it. */
export const MAX_KEPT_FAILURES = 1000;

/** How a run ended. */
export interface RunResult {
  status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED';
  /** The run summary. */
  message: string;
  /** Why it failed, with places in the config where there are any. */
  problems: Problem[];
  connectors: ConnectorResult[];
  counts: DocumentCounts;
  failures: FailedDocument[];
  seconds: number;
}
