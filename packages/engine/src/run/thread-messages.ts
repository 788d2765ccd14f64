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

/** How far a connector is, and what its result will need. */
export interface ConnectorProgress extends Pick<RunProgress['connectors'][number], 'name' | 'status'> {
  readonly hasPipeline: boolean;
}

/**
 * Limit of the young generation of each thread of a run, in MiB: what a thread makes of a piece of a source is garbage
 * soon. Twice as much, V8's own limit, is no faster and takes 80 MiB more.
 */
export const YOUNG_MB = 24;

/** What the threads of a run are made with. */
export interface ThreadData {
  /** Limit of the JavaScript heap of each, in MiB. */
  readonly heapMb: number;
  /** How many pipeline threads are started before there is work. */
  readonly lanes: number;
  /** What is likely to be needed: a thread that waits for work makes itself ready for it. */
  readonly preload: {
    /** Modules of components. */
    readonly modules: readonly string[];
    readonly registry?: RegistrySource;
  };
}

/** A run as its thread sees its end; the process adds what it reads from shared memory. */
export type ThreadResult = Omit<RunResult, 'stages'>;

/** To the thread of a run. It serves one run, one preview or one look around, then ends. */
export type ToRun =
  | {
      readonly type: 'run';
      readonly request: RunRequest;
      readonly counts: SharedArrayBuffer;
      readonly indexing: SharedArrayBuffer;
      readonly logGate: SharedArrayBuffer;
      /** The memory of the `MessageGate` of failed documents. */
      readonly failureGate: SharedArrayBuffer;
      /** Whether somebody takes the failed documents. */
      readonly keepFailures: boolean;
    }
  | { readonly type: 'preview'; readonly request: PreviewRequest; readonly maxComputeMillis: number }
  | { readonly type: 'reach'; readonly request: ReachRequest }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** Its work is done: it is to end its own threads, and to answer `ended`. */
  | { readonly type: 'end' };

/** A pipeline thread of a run: whose pipeline it works for, and the memory of its `SharedStatistics`. */
export interface ThreadStages {
  readonly connector: string;
  readonly pipeline: string;
  readonly stages: readonly StageName[];
  readonly statistics: SharedArrayBuffer;
}

/** From the thread of a run. */
export type FromRun =
  | {
      readonly type: 'connectors';
      readonly connectors: ConnectorProgress[];
      readonly results: readonly ConnectorResult[];
    }
  | ({ readonly type: 'thread' } & ThreadStages)
  | { readonly type: 'log'; readonly record: LogRecord }
  /** A group of failed documents, and what it weighs in its `MessageGate`. */
  | { readonly type: 'failures'; readonly failures: KeptFailure[]; readonly weight: number }
  /** The type of the indexer. */
  | { readonly type: 'indexer'; readonly indexer: string }
  /** The modules of built-in components that the run needs. */
  | { readonly type: 'modules'; readonly modules: string[] }
  | { readonly type: 'done'; readonly result: ThreadResult }
  | { readonly type: 'previewed'; readonly result: PreviewResult }
  | { readonly type: 'reached'; readonly problems: Problem[] }
  | { readonly type: 'ended' }
  | { readonly type: 'crashed'; readonly failure: Failure };
