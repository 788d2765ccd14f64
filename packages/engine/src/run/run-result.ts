import type { CheckResult } from '../component/indexer.ts';
import type { Problem } from '../errors/problem.ts';
import type { FailedDocument } from '../failures/kept-failure.ts';
import type { Notice } from '../notices/notice.ts';
import type { DocumentCounts } from './counters.ts';
import type { StageProgress } from './stage-statistics.ts';

/** The result of one connector of a run. */
export interface ConnectorResult {
  name: string;
  /** `skipped`: an earlier connector failed, or the run was stopped. */
  status: 'complete' | 'failed' | 'stopped' | 'skipped';
  /** True if the connector feeds a pipeline. A connector without a pipeline has no counts. */
  hasPipeline: boolean;
  counts: DocumentCounts;
  /** The number of failed documents that failed only because the destination accepted no documents. Defaults to 0. */
  undelivered?: number;
  /** The number of documents that the connector published. More than `counts.published` if documents were collapsed. */
  received: number;
  seconds: number;
  /**
   * For a failed connector, the text of the reference, such as `Connector exception.`, and whether the summary includes
   * the time.
   */
  error?: { text: string; timed: boolean };
  /** A message of the connector for the summary. */
  message?: string;
}

/** The result of a run. */
export interface RunResult {
  status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED';
  /** The run summary. */
  message: string;
  /** The reasons why the run failed, with positions in the config if they are known. */
  problems: Problem[];
  connectors: ConnectorResult[];
  counts: DocumentCounts;
  /** What components skipped, changed or guessed in the data, the most serious class first. */
  notices: readonly Notice[];
  /** The results of the checks of the output, in order. Defaults to none. */
  checks?: readonly CheckResult[];
  /** The name of the previous output, which a rollback puts into use again. Undefined if there is none. */
  replaced?: string;
  /** The statistics of the stages, in the order of the connectors and their pipelines. */
  stages: StageProgress[];
  /** The first failed documents, without their contents. */
  failures: FailedDocument[];
  seconds: number;
}
