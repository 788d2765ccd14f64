/**
 * Limits for the values that a config may set. A config with a higher value is refused. If the value is absent, its
 * default is used, or the limit if it is lower. Undefined: no limit.
 */
export interface PolicyLimits {
  /** Seconds on the clock that a run may take, from its start. After that it is stopped and has failed. */
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
  /** How many times an operation is retried. */
  readonly maxRetries?: number | undefined;
  /** Seconds of each timeout, and of each wait before a retry. */
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

/** Which limit applies to a parameter of a config. */
export interface Cap {
  readonly limit: keyof PolicyLimits;
  /** How many units of the parameter are one unit of the limit: 1000 for milliseconds under a limit in seconds. */
  readonly scale: number;
  /** Values up to this one mean no limit. */
  readonly unlimitedUpTo?: number;
  /** The value of an absent parameter whose schema has no default. */
  readonly otherwise?: number;
}
