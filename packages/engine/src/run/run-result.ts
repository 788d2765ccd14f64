import type { Problem } from '../errors/problem.ts';
import type { FailedDocument } from '../failures/kept-failure.ts';
import type { DocumentCounts } from './counters.ts';
import type { StageProgress } from './stage-statistics.ts';

/** The result of a connector of a run. */
export interface ConnectorResult {
  name: string;
  /** `skipped`: an earlier connector failed, or the run was stopped. */
  status: 'complete' | 'failed' | 'stopped' | 'skipped';
  /** Whether it feeds a pipeline. A connector without a pipeline has no counts. */
  hasPipeline: boolean;
  counts: DocumentCounts;
  /** The number of failed documents that failed only because the destination accepted none. Absent means none. */
  undelivered?: number;
  /** The number of publish calls; more than `counts.published` if documents were collapsed. */
  received: number;
  seconds: number;
  /** For a failed connector, the words of the reference: `Connector exception.`, with or without a time. */
  error?: { text: string; timed: boolean };
  /** A line of the connector for the summary. */
  message?: string;
}

/** The result of a run. */
export interface RunResult {
  status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED';
  /** The run summary. */
  message: string;
  /** Why the run failed, with positions in the config if they are known. */
  problems: Problem[];
  connectors: ConnectorResult[];
  counts: DocumentCounts;
  /** What the stages did, in the order of the connectors and their pipelines. */
  stages: StageProgress[];
  /** The first documents that failed, without their contents. */
  failures: FailedDocument[];
  seconds: number;
}
