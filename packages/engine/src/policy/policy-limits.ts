/**
 * Limits for the values in a config. A config with a higher value is refused. If the value is absent, its default is
 * used, or the limit if it is lower. Undefined means no limit.
 */
export interface PolicyLimits {
  /** The maximum duration of a run in seconds. After this time, the run is stopped and fails. */
  readonly maxRunSecs?: number | undefined;
  /** The maximum of `worker.maxProcessingSecs`. */
  readonly maxProcessingSecs?: number | undefined;
  /** The maximum number of threads of a pipeline. */
  readonly maxThreads?: number | undefined;
  /** The maximum of `publisher.queueCapacity` and `maxPendingDocs`. */
  readonly maxQueuedDocs?: number | undefined;
  /** The maximum number of documents and of bytes in a batch of the indexer. */
  readonly maxBatchDocs?: number | undefined;
  readonly maxBatchBytes?: number | undefined;
  /** The maximum number of retries of an operation. */
  readonly maxRetries?: number | undefined;
  /** The maximum of each timeout, and of each wait before a retry, in seconds. */
  readonly maxWaitSecs?: number | undefined;
  /** The maximum memory of a process for a native library or a program, in MB. */
  readonly maxHelperMemoryMb?: number | undefined;
  /** The maximum memory that a parameter may allow, in MiB. */
  readonly maxMemoryMb?: number | undefined;
  /** The maximum size of a file that a parameter may allow, in MiB. */
  readonly maxDiskMb?: number | undefined;
  /** The maximum number of values, objects or rows that a parameter may create or keep in memory. */
  readonly maxItems?: number | undefined;
}

/** The names of the limits, in the order of the documentation and the log. */
export const POLICY_LIMITS = [
  'maxRunSecs',
  'maxProcessingSecs',
  'maxThreads',
  'maxQueuedDocs',
  'maxBatchDocs',
  'maxBatchBytes',
  'maxRetries',
  'maxWaitSecs',
  'maxHelperMemoryMb',
  'maxMemoryMb',
  'maxDiskMb',
  'maxItems',
] as const satisfies readonly (keyof PolicyLimits)[];

/** The limits for uploads to a shared server. */
export const SHARED_LIMITS: PolicyLimits = {
  maxRunSecs: 3600,
  maxProcessingSecs: 60,
  maxThreads: 4,
  maxQueuedDocs: 100_000,
  maxBatchDocs: 10_000,
  maxBatchBytes: 64 * 1024 * 1024,
  maxRetries: 20,
  maxWaitSecs: 300,
  maxHelperMemoryMb: 2048,
  maxMemoryMb: 1024,
  maxDiskMb: 10_240,
  maxItems: 100_000,
};

/** The limit that applies to a parameter of a config. */
export interface Cap {
  readonly limit: keyof PolicyLimits;
  /**
   * How many units of the parameter are one unit of the limit. 1000 if the parameter is in milliseconds and the limit
   * in seconds.
   */
  readonly scale: number;
  /** Values up to this value mean no limit. */
  readonly unlimitedUpTo?: number;
  /** The value of an absent parameter whose schema has no default. */
  readonly otherwise?: number;
}
