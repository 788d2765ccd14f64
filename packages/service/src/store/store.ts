/** A text that was uploaded as a config, and what it answers. */
export interface ConfigVersion {
  /** From 1. */
  version: number;
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

/** What people say about a config, beside its text. */
export interface ConfigNotes {
  /** Unique. */
  name: string | null;
  description: string | null;
  labels: Readonly<Record<string, string>>;
}

/** A config: its text as it is now, and what people say about it. */
export interface StoredConfig extends ConfigNotes {
  id: string;
  current: ConfigVersion;
}

/** A config in a listing. */
export interface ConfigListing extends ConfigNotes {
  /** Place in the order of uploads; the cursor of paging. */
  seq: number;
  id: string;
  version: number;
  digest: string;
  /** When the first version came, and from whom. */
  createdTime: number;
  createdBy: string | null;
  /** When the current version came, and from whom. */
  updatedTime: number;
  updatedBy: string | null;
}

/** A version in a listing. */
export type ConfigVersionListing = Omit<ConfigVersion, 'text' | 'format' | 'answer'>;

/** Configs that have all of these labels. */
export interface ConfigFilter {
  labels?: Readonly<Record<string, string>> | undefined;
}

/** What became of a config that was to be written; `changed`: it is of another version than was expected. */
export type ConfigWrite = 'written' | 'full' | 'name-taken' | 'missing' | 'changed';

/** A run as the store keeps it: what queries select by, and its details as JSON. */
export interface StoredRun {
  id: string;
  configId: string;
  status: string;
  done: boolean;
  /** Seconds since the epoch. */
  startTime: number;
  requestedBy: string | null;
  labels: Readonly<Record<string, string>>;
  details: string;
}

export interface RunListing {
  seq: number;
  id: string;
  details: string;
}

/** A request that a client may repeat without a second run. */
export interface RequestKey {
  user: string | null;
  key: string;
  /** SHA-256 of its body, in hexadecimal. */
  digest: string;
  /** Seconds since the epoch. */
  time: number;
}

/** A piece of the log of a run. */
export interface RunLogPiece {
  /** From 1; the pieces of a log follow one another. */
  number: number;
  /** The number of its first line in the whole log, from 1. */
  firstLine: number;
  /** Lines, each with its end. */
  text: string;
}

/** A failed document of a run, and what queries select by. */
export interface StoredFailure {
  connector: string;
  at: string;
  /** Whether it has what is needed to run it again. */
  replayable: boolean;
  /** All of it, as one line of JSON. */
  line: string;
}

/** Failed documents for which all of this holds. */
export interface FailureFilter {
  connector?: string | undefined;
  at?: string | undefined;
  /** True: only those that can be run again. */
  replayable?: boolean;
}

export interface FailurePage {
  items: { seq: number; line: string }[];
  /** Whether there are others after these. */
  more: boolean;
}

/** A page of failed documents ends early when it has so many characters: each may be large. */
export const MAX_FAILURE_PAGE = 4 * 1024 * 1024;

/** Why a failed document has no content any more. */
export const FORGOTTEN_CONTENT = 'Later ones took its place: limits.maxFailureBytes says how much is kept of all runs';

/** Which part of a listing, newest first. */
export interface Page {
  /** Only what is older than this place. */
  before?: number | undefined;
  limit: number;
}

/** Runs for which all of this holds. */
export interface RunFilter {
  configId?: string | undefined;
  /** One of these. */
  statuses?: readonly string[] | undefined;
  /** All of these. */
  labels?: Readonly<Record<string, string>> | undefined;
  requestedBy?: string | undefined;
  /** Asked for at this time or later, in seconds since the epoch. */
  since?: number | undefined;
  /** Asked for before this time. */
  until?: number | undefined;
}

/** How long a client may repeat a request by its key. */
export const REQUEST_KEY_SECONDS = 24 * 60 * 60;

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

  /** Adds a config with its first version, unless there are `max` already. */
  addConfig(config: StoredConfig, max: number): Promise<ConfigWrite>;
  /**
   * Gives a config a new current version, the one after `expected`, which must be current, and forgets the oldest
   * versions beyond `maxVersions`; or, where the version is `expected` itself, changes the notes alone.
   */
  replaceConfig(config: StoredConfig, expected: number, maxVersions: number): Promise<ConfigWrite>;
  /** A config by its id or its name. */
  config(key: string): Promise<StoredConfig | undefined>;
  /** What GET answers for the config of this id or name. */
  configAnswer(key: string): Promise<{ answer: string; version: number; digest: string } | undefined>;
  configVersion(id: string, version: number): Promise<ConfigVersion | undefined>;
  /** The versions that are kept, the newest first; `before` is a version. */
  listConfigVersions(id: string, page: Page): Promise<ConfigVersionListing[]>;
  listConfigs(page: Page, filter?: ConfigFilter): Promise<ConfigListing[]>;
  /** Removes a config with all of its versions. False if there is no such id, or its version is not the expected one. */
  deleteConfig(id: string, expected: number): Promise<boolean>;

  /**
   * Adds a run, or replaces what is known of it.
   * @param key kept with a new run, both or neither; keys older than a day are forgotten then
   */
  saveRun(run: StoredRun, key?: RequestKey): Promise<void>;
  /** The run that a request with this key has started within the last day, even if that run is forgotten by now. */
  requestedRun(user: string | null, key: string, now: number): Promise<{ runId: string; digest: string } | undefined>;
  runDetails(id: string): Promise<string | undefined>;
  listRuns(page: Page, filter?: RunFilter): Promise<RunListing[]>;
  /** Details of the runs that are not done, oldest first. */
  unfinishedRuns(): Promise<string[]>;
  /** Adds pieces to the log of a run, or replaces those of the same numbers; forgets those before `oldest`. */
  saveRunLog(runId: string, pieces: readonly RunLogPiece[], oldest: number): Promise<void>;
  /** What is kept of the log of a run, in order. */
  runLog(runId: string): Promise<RunLogPiece[]>;
  /** Adds failed documents to a run. */
  addFailures(runId: string, failures: readonly StoredFailure[]): Promise<void>;
  /** Failed documents of a run, in the order in which they failed, after a place. */
  runFailures(runId: string, page: { after: number; limit: number }, filter?: FailureFilter): Promise<FailurePage>;
  /** Forgets the oldest finished runs beyond `max` runs. Whether there were any. */
  trimRuns(max: number): Promise<boolean>;
  /** Forgets the oldest contents of failed documents beyond so many bytes of all runs; what is said of these stays. */
  trimFailures(maxBytes: number): Promise<void>;
  /** Forgets the oldest pieces of the logs beyond so many bytes of all runs. */
  trimLogs(maxBytes: number): Promise<void>;

  /** Why the last write failed; undefined while writing works. */
  readonly failure: string | undefined;
  /** Writes something, to see whether writing works: `failure` tells. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
