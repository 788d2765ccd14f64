import type { ObjectNode } from '@headrace/hocon';
import type { LogLevel, LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { KeptFailure } from '../failures/kept-failure.ts';
import type { StageTrace } from '../pipeline/trace.ts';
import type { DocumentCounts } from './counters.ts';
import type { IndexingProgress } from './indexing-statistics.ts';
import type { RunResult } from './run-result.ts';
import type { StageProgress } from './stage-statistics.ts';

/** The input of a run. */
export interface RunRequest {
  readonly runId: string;
  /** The resolved config. */
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** Write every document to this file as JSON lines instead of sending it to the indexer. */
  readonly dryRunFile?: string;
  /**
   * Process these documents instead of executing the connectors. They failed in another run, in the format of
   * `writeFailureLine`.
   */
  readonly retry?: readonly string[];
  /**
   * Whether `onFailures` receives all failed documents, whatever their number and size. For a caller that stores them
   * at once. False when absent: the limits of `kept-failure.ts` apply.
   */
  readonly keepAllFailures?: boolean;
  /**
   * Whether the config comes from the operator of the process. Only then do its scripts run outside a sandbox. False
   * when absent.
   */
  readonly trusted?: boolean;
}

/** The progress of a run. */
export interface RunProgress {
  counts: DocumentCounts;
  /** Each connector, in the order of the config; empty before the config is checked. */
  connectors: {
    name: string;
    status: 'waiting' | 'running' | 'complete' | 'failed' | 'stopped' | 'skipped';
    counts: DocumentCounts;
    seconds: number;
  }[];
  /** The stages of the connectors that have begun. */
  stages: StageProgress[];
  /** Absent before the first batch is sent. */
  indexing?: IndexingProgress;
}

export interface RunListeners {
  onLog?(record: LogRecord): void;
  /** Called when documents have failed: with groups of them, contents included. See `RunRequest.keepAllFailures`. */
  onFailures?(failures: KeptFailure[]): void;
  /** Called when a connector has begun or ended. `progress()` says which. */
  onConnectors?(): void;
  /**
   * Called when the config has been checked.
   * @param usesStandardOutput whether the indexer writes documents to the standard output of the process
   */
  onIndexer?(usesStandardOutput: boolean): void;
}

/** A run that is active in a separate thread. */
export interface RunHandle {
  readonly runId: string;
  /** The current progress. Cheap to call: the counts are in shared memory. */
  progress(): RunProgress;
  /**
   * Asks the run to end: it reads no more of the source, and finishes the documents in flight. After
   * `STOP_GRACE_MILLIS` (time-limits.ts) its threads are ended by force, and documents in flight count as failed. Safe
   * to call again.
   */
  stop(status: 'CANCELLED' | 'INTERRUPTED'): void;
  /** Never rejects: the result includes every failure. */
  readonly done: Promise<RunResult>;
}

/** The input of a preview: it shows what a pipeline does to documents, without a run. */
export interface PreviewRequest {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** The pipeline; the first of the config when absent. */
  readonly pipeline?: string;
  /** Documents, as JSON texts. When absent: the first `limit` documents that the connectors of the pipeline publish. */
  readonly documents?: readonly string[];
  readonly limit?: number;
  /** Also show each document after each stage. */
  readonly trace?: boolean;
  /** As in `RunRequest`. */
  readonly trusted?: boolean;
}

/** A line that a stage logged in a preview. */
export interface PreviewLogLine {
  readonly level: LogLevel;
  /** Empty if the preview itself logged the line. */
  readonly stage: string;
  readonly message: string;
}

/** The result of one input document. Documents are JSON texts. */
export interface PreviewedDocument {
  /** Also JSON: a JSON string if the input was not a document. */
  readonly input: string;
  /** Children before their parent. */
  readonly documents: string[];
  /** The ids of dropped documents. */
  readonly dropped: string[];
  failure?: Failure & { stage: string };
  /** What the stages did, if the request asked for it and the input is a document. */
  trace?: StageTrace[];
  /** What the stages logged, if anything. The first document also has what they logged at their start. */
  log?: PreviewLogLine[];
}

export interface PreviewResult {
  /** One entry for each input document. */
  results: PreviewedDocument[];
  /** If this contains errors, nothing was processed. */
  problems: Problem[];
}
