import type { LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { ReachRequest } from '../config/reach-config.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { KeptFailure } from '../failures/kept-failure.ts';
import type { PreviewRequest, PreviewResult, RunProgress, RunRequest } from './run-request.ts';
import type { ConnectorResult, RunResult } from './run-result.ts';
import type { StageName } from './stage-statistics.ts';
import type { StopReason } from './stop-reason.ts';

/** The progress of a connector, and what its result will need. */
export interface ConnectorProgress extends Pick<RunProgress['connectors'][number], 'name' | 'status'> {
  readonly hasPipeline: boolean;
}

/**
 * The limit of the young generation of each thread of a run, in MiB. Most objects that a thread creates for a piece of
 * a source become garbage soon. Twice as much, the default of V8, is not faster and takes 80 MiB more.
 */
export const YOUNG_MB = 24;

/** The data that the threads of a run are created with. */
export interface ThreadData {
  /** The limit of the JavaScript heap of each thread, in MiB. */
  readonly heapMb: number;
  /** The number of pipeline threads that are started in advance. */
  readonly lanes: number;
  /** What a waiting thread will probably need: it loads this in advance. */
  readonly preload: {
    /** Modules of components. */
    readonly modules: readonly string[];
    readonly registry?: RegistrySource;
  };
}

/** The result of a run as its thread knows it. The process adds what it reads from shared memory. */
export type ThreadResult = Omit<RunResult, 'stages'>;

/** Messages to the thread of a run. It serves one run, one preview or one connection check, then ends. */
export type ToRun =
  | {
      readonly type: 'run';
      readonly request: RunRequest;
      readonly counts: SharedArrayBuffer;
      readonly indexing: SharedArrayBuffer;
      readonly logGate: SharedArrayBuffer;
      /** The memory of the `MessageGate` of failed documents. */
      readonly failureGate: SharedArrayBuffer;
      /** Whether a caller receives the failed documents. */
      readonly keepFailures: boolean;
    }
  | { readonly type: 'preview'; readonly request: PreviewRequest; readonly maxComputeMillis: number }
  | { readonly type: 'reach'; readonly request: ReachRequest }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** The work of the thread is done: it must end its child threads and answer `ended`. */
  | { readonly type: 'end' };

/** A pipeline thread of a run: the connector that it works for, and the memory of its `SharedStatistics`. */
export interface ThreadStages {
  readonly connector: string;
  readonly pipeline: string;
  readonly stages: readonly StageName[];
  readonly statistics: SharedArrayBuffer;
}

/** Messages from the thread of a run. */
export type FromRun =
  | {
      readonly type: 'connectors';
      readonly connectors: ConnectorProgress[];
      readonly results: readonly ConnectorResult[];
    }
  | ({ readonly type: 'thread' } & ThreadStages)
  | { readonly type: 'log'; readonly record: LogRecord }
  /** A group of failed documents, and its weight in the `MessageGate`. */
  | { readonly type: 'failures'; readonly failures: KeptFailure[]; readonly weight: number }
  /** The type of the indexer, and whether it writes documents to the standard output of the process. */
  | { readonly type: 'indexer'; readonly indexer: string; readonly usesStandardOutput: boolean }
  /** The modules of built-in components that the run needs. */
  | { readonly type: 'modules'; readonly modules: string[] }
  | { readonly type: 'done'; readonly result: ThreadResult }
  | { readonly type: 'previewed'; readonly result: PreviewResult }
  | { readonly type: 'reached'; readonly problems: Problem[] }
  | { readonly type: 'ended' }
  | { readonly type: 'crashed'; readonly failure: Failure };
