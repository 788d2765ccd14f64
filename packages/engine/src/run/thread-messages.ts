import type { LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { ReachRequest } from '../config/reach-config.ts';
import type { RollbackRequest } from '../config/rollback-config.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { KeptFailure } from '../failures/kept-failure.ts';
import type { Notice } from '../notices/notice.ts';
import type { FromDestinations, ToDestinations } from './destination-messages.ts';
import type { ConfigFacts, PreviewRequest, PreviewResult, RunProgress, RunRequest } from './run-request.ts';
import type { ConnectorResult, RunResult } from './run-result.ts';
import type { StageName } from './stage-statistics.ts';
import type { StopReason } from './stop-reason.ts';

/** The progress of a connector, and data for its result. */
export interface ConnectorProgress extends Pick<RunProgress['connectors'][number], 'name' | 'status'> {
  readonly hasPipeline: boolean;
}

/**
 * The default limit of the young generation of each thread of a run, in MiB. Most objects that a thread creates for a chunk of
 * a source become garbage soon. The default of V8, twice this size, is not faster and takes 80 MiB more.
 */
export const YOUNG_MB = 24;

/** The same limit for the thread of a run. It processes bytes, and only connectors for documents create many objects. */
export const RUN_YOUNG_MB = 12;

/** The data for the start of each thread of a run. */
export interface ThreadData {
  /** The limit of the JavaScript heap of each thread, in MiB. */
  readonly heapMb: number;
  /** The limit of the young generation of each thread, in MiB. */
  readonly youngMb: number;
  /** The number of pipeline threads that are started in advance. */
  readonly lanes: number;
  /** The modules and catalogs that an idle thread loads in advance, because it will probably need them. */
  readonly preload: {
    /** The URLs of component modules. */
    readonly modules: readonly string[];
    readonly registry?: RegistrySource;
  };
}

/** The data for the start of a pipeline thread. */
export interface LaneData extends ThreadData {
  /** The number of the thread of the run, which counts the memory of the run. */
  readonly run: number;
}

/** The result of a run from its thread. The process adds the statistics from shared memory. */
export type ThreadResult = Omit<RunResult, 'stages'>;

/** The messages to the thread of a run. The thread executes one run, one preview, one connection check or one rollback, then ends. */
export type ToRun =
  | {
      readonly type: 'run';
      readonly request: RunRequest;
      readonly counts: SharedArrayBuffer;
      readonly indexing: SharedArrayBuffer;
      readonly logGate: SharedArrayBuffer;
      /** The memory of the `MessageGate` of failed documents. */
      readonly failureGate: SharedArrayBuffer;
      /** True if a caller receives the failed documents. */
      readonly keepFailures: boolean;
    }
  | { readonly type: 'preview'; readonly request: PreviewRequest; readonly maxComputeMillis: number }
  | { readonly type: 'reach'; readonly request: ReachRequest }
  | { readonly type: 'rollback'; readonly request: RollbackRequest }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** The answer to a message `failures`: whether the group is stored. The answers are in the order of the groups. */
  | { readonly type: 'failures-stored'; readonly stored: boolean }
  | { readonly type: 'destinations'; readonly message: FromDestinations }
  /** Asks the thread to finish: it must end its child threads and answer `ended`. */
  | { readonly type: 'end' };

/** A pipeline thread of a run: its connector, and the memory of its `SharedStatistics`. */
export interface ThreadStages {
  readonly connector: string;
  readonly pipeline: string;
  readonly stages: readonly StageName[];
  readonly statistics: SharedArrayBuffer;
}

/** The start of a connector or an indexer, which the policy limits. */
export interface LimitedStart {
  /** The component, as messages name it. */
  readonly what: string;
  /** The code of the failure of a component that computes longer. */
  readonly code: Failure['code'];
  /** The maximum computing time in milliseconds. */
  readonly millis: number;
}

/** The messages from the thread of a run. */
export type FromRun =
  | {
      readonly type: 'connectors';
      readonly connectors: ConnectorProgress[];
      readonly results: readonly ConnectorResult[];
    }
  | ({ readonly type: 'thread' } & ThreadStages)
  /** All pipeline threads of a connector have started their stages. */
  | { readonly type: 'loaded' }
  /** What the thread starts now, so that the process can end it. Undefined when it has started. */
  | { readonly type: 'starting'; readonly start: LimitedStart | undefined }
  | { readonly type: 'log'; readonly record: LogRecord }
  /** A group of failed documents, and its weight in the `MessageGate`. */
  | { readonly type: 'failures'; readonly failures: KeptFailure[]; readonly weight: number }
  /** The notices so far. */
  | { readonly type: 'notices'; readonly notices: Notice[] }
  /** The config has been checked. */
  | { readonly type: 'checked'; readonly facts: ConfigFacts }
  | { readonly type: 'destinations'; readonly message: ToDestinations }
  /** The modules of built-in components that the run needs. */
  | { readonly type: 'modules'; readonly modules: string[] }
  | { readonly type: 'done'; readonly result: ThreadResult }
  | { readonly type: 'previewed'; readonly result: PreviewResult }
  | { readonly type: 'reached'; readonly problems: Problem[] }
  /** The sentence of `Indexer.rollback`. */
  | { readonly type: 'rolled-back'; readonly message: string }
  | { readonly type: 'ended' }
  | { readonly type: 'crashed'; readonly failure: Failure };
