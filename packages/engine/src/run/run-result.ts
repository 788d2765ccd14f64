import type { Problem } from '../errors/problem.ts';
import type { FailedDocument } from '../failures/kept-failure.ts';
import type { DocumentCounts } from './counters.ts';
import type { StageProgress } from './stage-statistics.ts';

/** How a connector of a run ended. */
export interface ConnectorResult {
  name: string;
  /** `skipped`: an earlier one failed, or the run was stopped. */
  status: 'complete' | 'failed' | 'stopped' | 'skipped';
  /** Whether it fed a pipeline; one that did not has no counts. */
  hasPipeline: boolean;
  counts: DocumentCounts;
  /** How many of the failed documents failed only because the destination took none; absent: none did. */
  undelivered?: number;
  /** Publish calls; more than `counts.published` when documents were collapsed. */
  received: number;
  seconds: number;
  /** For a failed one, the reference's words: `Connector exception.`, with or without a time. */
  error?: { text: string; timed: boolean };
  /** A line that the connector gave for the summary. */
  message?: string;
}

/** How a run ended. */
export interface RunResult {
  status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED';
  /** The run summary. */
  message: string;
  /** Why it failed, with places in the config where there are any. */
  problems: Problem[];
  connectors: ConnectorResult[];
  counts: DocumentCounts;
  /** What the stages did, in the order of the connectors and their pipelines. */
  stages: StageProgress[];
  /** The first documents that failed, without their contents. */
  failures: FailedDocument[];
  seconds: number;
}
