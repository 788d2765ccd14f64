import type { ObjectNode } from '@headrace/hocon';
import type { LogLevel, LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { StageTrace } from '../execution/stage-trace.ts';
import type { KeptFailure } from '../failures/kept-failure.ts';
import type { Notice } from '../notices/notice.ts';
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
  /** A file that receives every document as JSON lines. If set, no document is sent to the indexer. */
  readonly dryRunFile?: string;
  /**
   * Failed documents of another run, in the format of `writeFailureLine`. If set, the run processes these documents and
   * does not execute the connectors.
   */
  readonly retry?: readonly string[];
  /** True if this run continues an earlier run, so that the indexer must keep the output. Defaults to false. */
  readonly continues?: boolean;
  /**
   * True if `onFailures` receives all failed documents, regardless of their number and size. For a caller that stores
   * them immediately. Defaults to false: the limits of `kept-failure.ts` apply.
   */
  readonly keepAllFailures?: boolean;
  /**
   * True if the config comes from the operator of the process. Only then, its scripts run outside a sandbox. Defaults
   * to false.
   */
  readonly trusted?: boolean;
}

/** The progress of a run. */
export interface RunProgress {
  counts: DocumentCounts;
  /** All connectors, in the order of the config. Empty before the config is checked. */
  connectors: {
    name: string;
    status: 'waiting' | 'running' | 'complete' | 'failed' | 'stopped' | 'skipped';
    counts: DocumentCounts;
    seconds: number;
  }[];
  /** The stages of the connectors that have started. */
  stages: StageProgress[];
  /** The statistics of the indexer. Absent before the first batch is sent. */
  indexing?: IndexingProgress;
  /** The notices of the components so far. */
  notices: readonly Notice[];
  /** Why the run waits for another run with the same destination. Absent if it does not wait. */
  waiting?: string;
}

export interface RunListeners {
  onLog?(record: LogRecord): void;
  /**
   * Called with groups of failed documents, including their contents. See `RunRequest.keepAllFailures`. If it returns a
   * promise, the documents count as kept when it resolves. If it throws or rejects, they are not kept: the source does
   * not count them as read.
   */
  onFailures?(failures: KeptFailure[]): void | Promise<void>;
  /** Called when a connector has started or ended. `progress()` returns the details. */
  onConnectors?(): void;
  /** Called when the run begins to wait for another run with the same destination. It then does nothing. */
  onWait?(): void;
  /** Called when the wait is over. The run continues when the promise resolves. */
  onContinue?(): Promise<void>;
  /** Called when the config has been checked, before its connectors run. */
  onChecked?(facts: ConfigFacts): void;
}

/** Facts about a config that has been checked. */
export interface ConfigFacts {
  /** The type of the indexer. */
  readonly indexer: string;
  /** Whether the indexer writes documents to the standard output of the process. */
  readonly usesStandardOutput: boolean;
  /** Whether later runs do not read again what this run has read. Failed documents are then only where they are kept. */
  readonly marksRead: boolean;
}

/** A run that is active in a separate thread. */
export interface RunHandle {
  readonly runId: string;
  /** Returns the current progress. It is fast, because the counts are in shared memory. */
  progress(): RunProgress;
  /**
   * Asks the run to stop: it reads no more of the source and finishes the documents in flight. After
   * `STOP_GRACE_MILLIS` (time-limits.ts), its threads are terminated, and unfinished documents count as failed. Further
   * calls have no effect.
   */
  stop(status: 'CANCELLED' | 'INTERRUPTED'): void;
  /** Resolves when the run has finished. Never rejects: the result includes every failure. */
  readonly done: Promise<RunResult>;
}

/** The input of a preview. A preview shows what a pipeline does to documents, without a run. */
export interface PreviewRequest {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** Who requests the preview. Two users never share a thread. Absent if users do not sign in. */
  readonly user?: string;
  /** The name of the pipeline. Defaults to the first pipeline of the config. */
  readonly pipeline?: string;
  /** Documents as JSON strings. Defaults to the first `limit` documents that the connectors of the pipeline publish. */
  readonly documents?: readonly string[];
  readonly limit?: number;
  /** True to show each document also after each stage. */
  readonly trace?: boolean;
  /** True if the config is trusted, as in `RunRequest`. */
  readonly trusted?: boolean;
}

/** A line that a stage logged in a preview. */
export interface PreviewLogLine {
  readonly level: LogLevel;
  /** The name of the stage. Empty if the preview itself logged the line. */
  readonly stage: string;
  readonly message: string;
}

/** The result of one input document. Documents are JSON strings. */
export interface PreviewedDocument {
  /** The input as JSON. A JSON string if the input was not a document. */
  readonly input: string;
  /** The resulting documents. Children are before their parent. */
  readonly documents: string[];
  /** The ids of dropped documents. */
  readonly dropped: string[];
  failure?: Failure & { stage: string };
  /** The effect of each stage. Only if the request has `trace` and the input is a document. */
  trace?: StageTrace[];
  /** The log lines of the stages. The first document also has the lines that stages logged when they started. */
  log?: PreviewLogLine[];
}

export interface PreviewResult {
  /** One entry for each input document. */
  results: PreviewedDocument[];
  /** The problems of the config. If they contain errors, no document was processed. */
  problems: Problem[];
  /** What the components skipped, changed or guessed in the data of the shown documents. */
  notices: readonly Notice[];
}
