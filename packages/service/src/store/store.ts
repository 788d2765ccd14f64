/** A config as it was uploaded, and what it answers. */
export interface StoredConfig {
  id: string;
  /** The text as it came; runs are started from it. */
  text: string;
  format: ConfigFormat;
  /** The resolved config as JSON with secrets masked: what GET answers. */
  answer: string;
  /** SHA-256 of `answer`, in hexadecimal. */
  digest: string;
  /** Seconds since the epoch. */
  createdTime: number;
  createdBy: string | null;
}

export type ConfigFormat = 'hocon' | 'json';

/** A config in a listing. */
export interface ConfigListing {
  /** Place in the order of uploads; the cursor of paging. */
  seq: number;
  id: string;
  digest: string;
  createdTime: number;
  createdBy: string | null;
}

/** A run as the store keeps it: what queries select by, and its details as JSON. */
export interface StoredRun {
  id: string;
  configId: string;
  status: string;
  done: boolean;
  details: string;
}

export interface RunListing {
  seq: number;
  id: string;
  details: string;
}

/** Which part of a listing, newest first. */
export interface Page {
  /** Only what is older than this place. */
  before?: number | undefined;
  limit: number;
}

export interface RunFilter {
  configId?: string | undefined;
  status?: string | undefined;
}

/** The store could not write. What was asked for has not happened. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Keeps configs and runs. A write has happened when its promise resolves, and survives the death of the process
 * from then on. A read sees every write that was asked for before it. A write that cannot be done
 * rejects with a `StoreError`.
 */
export interface Store {
  /** Where it keeps its data, for the message of a failure and for the free space; undefined: nowhere. */
  readonly directory: string | undefined;

  /** False when there are `max` configs already. */
  addConfig(config: StoredConfig, max: number): Promise<boolean>;
  config(id: string): Promise<StoredConfig | undefined>;
  /** What GET answers for the config. */
  configAnswer(id: string): Promise<string | undefined>;
  listConfigs(page: Page): Promise<ConfigListing[]>;
  /** False when there is no such config. */
  deleteConfig(id: string): Promise<boolean>;

  /** Adds a run, or replaces what is known of it. */
  saveRun(run: StoredRun): Promise<void>;
  runDetails(id: string): Promise<string | undefined>;
  listRuns(page: Page, filter?: RunFilter): Promise<RunListing[]>;
  /** Details of the runs that are not done, oldest first. */
  unfinishedRuns(): Promise<string[]>;
  /** Forgets the oldest finished runs beyond `max` runs. Whether there were any. */
  trimRuns(max: number): Promise<boolean>;

  /** Why the last write failed; undefined while writing works. */
  readonly failure: string | undefined;
  /** Writes something, to see whether writing works: `failure` tells. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
