/**
 * Caps for what a config may set. A config that sets more is refused; one that sets nothing gets its default, or the cap
 * where that is lower. Undefined: no cap.
 */
export interface PolicyLimits {
  /** Seconds on the clock that a run may take, from its start: it is stopped then, and has failed. */
  readonly maxRunSecs?: number | undefined;
  /** `worker.maxProcessingSecs`. */
  readonly maxProcessingSecs?: number | undefined;
  /** Threads of a pipeline. */
  readonly maxThreads?: number | undefined;
  /** Documents that may wait: `publisher.queueCapacity` and `maxPendingDocs`. */
  readonly maxQueuedDocs?: number | undefined;
  /** Documents and bytes of a batch of the indexer. */
  readonly maxBatchDocs?: number | undefined;
  readonly maxBatchBytes?: number | undefined;
  /** How often something is tried again. */
  readonly maxRetries?: number | undefined;
  /** Seconds of each timeout, and of each wait before something is tried again. */
  readonly maxWaitSecs?: number | undefined;
}

/** The names of the limits, in the order in which they are listed. */
export const POLICY_LIMITS = [
  'maxRunSecs',
  'maxProcessingSecs',
  'maxThreads',
  'maxQueuedDocs',
  'maxBatchDocs',
  'maxBatchBytes',
  'maxRetries',
  'maxWaitSecs',
] as const satisfies readonly (keyof PolicyLimits)[];

/** For uploads to a server that is shared. */
export const SHARED_LIMITS: PolicyLimits = {
  maxRunSecs: 3600,
  maxProcessingSecs: 60,
  maxThreads: 4,
  maxQueuedDocs: 100_000,
  maxBatchDocs: 10_000,
  maxBatchBytes: 64 * 1024 * 1024,
  maxRetries: 20,
  maxWaitSecs: 300,
};

/** Of a parameter of a config: which limit caps it. */
export interface Cap {
  readonly limit: keyof PolicyLimits;
  /** How many of the parameter's units make one of the limit's: 1000 for milliseconds under a limit in seconds. */
  readonly scale: number;
  /** Values up to this one mean that there is no limit. */
  readonly unlimitedUpTo?: number;
  /** What counts where the parameter is absent and its schema has no default. */
  readonly otherwise?: number;
}
