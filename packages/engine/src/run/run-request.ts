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

/** What a run is started from. */
export interface RunRequest {
  readonly runId: string;
  /** The resolved config. */
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** Instead of indexing, write every document that would have reached the indexer to this file, as JSON lines. */
  readonly dryRunFile?: string;
  /**
   * Instead of executing the connectors, run these documents again that failed in another run, as `writeFailureLine`
   * gives them.
   */
  readonly retry?: readonly string[];
  /**
   * Whether `onFailures` is told of all failed documents, whatever their number and size: for who writes them away at
   * once. False when absent: up to the limits of `kept-failure.ts`.
   */
  readonly keepAllFailures?: boolean;
  /** Whether the config comes from who runs the process; only then do its scripts run outside a sandbox. False when absent. */
  readonly trusted?: boolean;
}

/** How far a run is. */
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
  /** Absent before anything was begun. */
  indexing?: IndexingProgress;
}

export interface RunListeners {
  onLog?(record: LogRecord): void;
  /** Documents have failed. Told in groups, with their contents; see `RunRequest.keepAllFailures`. */
  onFailures?(failures: KeptFailure[]): void;
  /** A connector has begun or ended: `progress()` tells which. */
  onConnectors?(): void;
}

/** A run that is going on in a thread of its own. */
export interface RunHandle {
  readonly runId: string;
  /** How far it is now. Costs nothing: the counts are in shared memory. */
  progress(): RunProgress;
  /**
   * Asks the run to end: the source is read no further, what is in flight is finished. After
   * `STOP_GRACE_MILLIS` (time-limits.ts) its threads are ended by force and what was in flight counts as failed. Safe to repeat.
   */
  stop(status: 'CANCELLED' | 'INTERRUPTED'): void;
  /** Never rejects: whatever happens to the run is in the result. */
  readonly done: Promise<RunResult>;
}

/** What documents become in a pipeline, without a run. */
export interface PreviewRequest {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** The pipeline; the first of the config when absent. */
  readonly pipeline?: string;
  /** Documents, as JSON texts; when absent, the first `limit` that the connectors of the pipeline publish. */
  readonly documents?: readonly string[];
  readonly limit?: number;
  /** Show each document after each stage, too. */
  readonly trace?: boolean;
  /** As in `RunRequest`. */
  readonly trusted?: boolean;
}

/** A line that a stage logged in a preview. */
export interface PreviewLogLine {
  readonly level: LogLevel;
  /** Empty when the preview itself says it. */
  readonly stage: string;
  readonly message: string;
}

/** What became of an input document. Documents are JSON texts. */
export interface PreviewedDocument {
  /** JSON too: a JSON string where the input was no document. */
  readonly input: string;
  /** Children before their parent. */
  readonly documents: string[];
  /** The ids of those that were dropped. */
  readonly dropped: string[];
  failure?: Failure & { stage: string };
  /** What the stages did, when that was asked for and the input is a document. */
  trace?: StageTrace[];
  /** What the stages said meanwhile, when they said something; with the first document, what they said at their start too. */
  log?: PreviewLogLine[];
}

export interface PreviewResult {
  /** One for each input document. */
  results: PreviewedDocument[];
  /** Errors mean that nothing was processed. */
  problems: Problem[];
}
