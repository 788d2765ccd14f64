/** A text that was uploaded as a config, with its answer. */
export interface ConfigVersion {
  /** The number of the version, from 1. */
  version: number;
  /** The text as it was uploaded. Runs start from it. */
  text: string;
  format: ConfigFormat;
  /** The answer of GET: the resolved config as JSON with secrets masked. */
  answer: string;
  /** SHA-256 of `answer`, in hexadecimal. */
  digest: string;
  /** The time, in seconds since the epoch. */
  createdTime: number;
  createdBy: string | null;
}

export type ConfigFormat = 'hocon' | 'json';

/** The information of users about a config. */
export interface ConfigNotes {
  /** The unique name. */
  name: string | null;
  description: string | null;
  labels: Readonly<Record<string, string>>;
}

/** A config in its current version, with the notes of users. */
export interface StoredConfig extends ConfigNotes {
  id: string;
  current: ConfigVersion;
}

/** A config in a list. */
export interface ConfigListing extends ConfigNotes {
  /** The position in the order of uploads, which is the cursor of pages. */
  seq: number;
  id: string;
  version: number;
  digest: string;
  /** The time and the user of the first version. */
  createdTime: number;
  createdBy: string | null;
  /** The time and the user of the current version. */
  updatedTime: number;
  updatedBy: string | null;
}

/** A version in a list. */
export type ConfigVersionListing = Omit<ConfigVersion, 'text' | 'format' | 'answer'>;

/** Selects configs that have all of these labels. */
export interface ConfigFilter {
  labels?: Readonly<Record<string, string>> | undefined;
  /** A part of the id, the name or the description. The case of ASCII letters is ignored. */
  text?: string | undefined;
}

/** The result of writing a config. `changed` means that the config does not have the expected version. */
export type ConfigWrite = 'written' | 'full' | 'name-taken' | 'missing' | 'changed';

/** A run in the store: the fields for queries, and its details as JSON. */
export interface StoredRun {
  id: string;
  configId: string;
  status: string;
  done: boolean;
  /** The time, in seconds since the epoch. */
  startTime: number;
  requestedBy: string | null;
  labels: Readonly<Record<string, string>>;
  details: string;
  /** The time of the schedule of the config that started the run. Absent for other runs. */
  scheduledTime?: number | undefined;
}

/** The schedule of a config: when the service starts its runs. */
export interface StoredSchedule {
  /** The id of a stored config, or the name of a preset. */
  configId: string;
  preset: boolean;
  /** Whether the service file defines the schedule. */
  fixed: boolean;
  /** The settings, as JSON. */
  settings: string;
  /** The time and the user of the last change of the settings. */
  setTime: number;
  setBy: string | null;
}

/** What happened at the last time of a schedule. */
export interface ScheduleState {
  lastTime: number | null;
  lastRunId: string | null;
  /** Why the last time started no run, as JSON. Null if it started one. */
  lastProblem: string | null;
}

/** The result of writing a schedule. `missing` means that the config does not exist. */
export type ScheduleWrite = 'written' | 'full' | 'missing';

/** The newest run of a config, for lists of configs. */
export interface LastRun {
  readonly configId: string;
  readonly runId: string;
  readonly status: string;
  /** Seconds since the epoch. */
  readonly startTime: number;
  readonly failed: number;
  /** The message of its first problem, or null. */
  readonly problem: string | null;
}

export interface RunListing {
  seq: number;
  id: string;
  details: string;
}

/** The key of a request that a client may repeat without starting a second run. */
export interface RequestKey {
  user: string | null;
  key: string;
  /** SHA-256 of the request body, in hexadecimal. */
  digest: string;
  /** The time, in seconds since the epoch. */
  time: number;
}

/** A piece of the log of a run. */
export interface RunLogPiece {
  /** The number of the piece in its log, from 1. */
  number: number;
  /** The number of the first line of the piece in the whole log, from 1. */
  firstLine: number;
  /** The lines, each with a line end. */
  text: string;
}

/** A failed document of a run, with the fields for queries. */
export interface StoredFailure {
  connector: string;
  at: string;
  /** The key of its group: failures with the same reason at the same place. */
  group: string;
  /** Whether the document can be processed again. */
  replayable: boolean;
  /** The whole failure, as one line of JSON. */
  line: string;
}

/** Selects the failed documents that meet all conditions. */
export interface FailureFilter {
  connector?: string | undefined;
  at?: string | undefined;
  group?: string | undefined;
  /** If true, selects only documents that can be processed again. */
  replayable?: boolean;
}

export interface FailurePage {
  items: { seq: number; line: string }[];
  /** Whether there are more documents after these. */
  more: boolean;
}

/** The failed documents of a run with the same reason. */
export interface FailureGroup {
  group: string;
  count: number;
  /** How many of them can be processed again. */
  replayable: number;
  /** The first failure, as one line of JSON. */
  line: string;
}

/** The largest groups of the failed documents of a run. */
export interface FailureGroups {
  items: FailureGroup[];
  /** The number of all groups, and of their failures. */
  groups: number;
  failures: number;
}

/** The maximum number of characters in a page of failed documents, because each may be large. */
export const MAX_FAILURE_PAGE = 4 * 1024 * 1024;

/** The maximum number of failed documents of all runs, because also a failure without content needs space. */
export const MAX_STORED_FAILURES = 1_000_000;

/** Why the content of a failed document was removed. */
export const FORGOTTEN_CONTENT =
  'Newer failed documents replaced it: limits.maxFailureBytes limits the documents of all runs';

/** Selects a page of a list, newest first. */
export interface Page {
  /** Only items before this position, which are older. */
  before?: number | undefined;
  limit: number;
}

/** Selects the runs that meet all conditions. */
export interface RunFilter {
  configId?: string | undefined;
  /** The run has one of these states. */
  statuses?: readonly string[] | undefined;
  /** The run has all of these labels. */
  labels?: Readonly<Record<string, string>> | undefined;
  requestedBy?: string | undefined;
  /** The run was requested at this time or later, in seconds since the epoch. */
  since?: number | undefined;
  /** The run was requested before this time. */
  until?: number | undefined;
}

/** How long a client may repeat a request with its key. */
export const REQUEST_KEY_SECONDS = 24 * 60 * 60;

/** The error of a failed write. The requested change was not made. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * Stores configs and runs. A write is complete when its promise resolves, and from then on survives the death of the
 * process. A read sees all earlier writes, also those that are not complete yet. A write that fails rejects with a
 * `StoreError`.
 */
export interface Store {
  /** The directory of the data, for error messages and the check of free space. Undefined for a store without files. */
  readonly directory: string | undefined;

  /** Adds a config with its first version, unless there are already `max` configs. */
  addConfig(config: StoredConfig, max: number): Promise<ConfigWrite>;
  /**
   * Adds a new current version to a config. Its number must be `expected` plus one, and `expected` must be the current
   * version. Deletes the oldest versions beyond `maxVersions`. If the number is `expected`, changes only the notes.
   */
  replaceConfig(config: StoredConfig, expected: number, maxVersions: number): Promise<ConfigWrite>;
  /** Returns a config by its id or its name. */
  config(key: string): Promise<StoredConfig | undefined>;
  /** Returns the answer of GET for the config with this id or name. */
  configAnswer(key: string): Promise<{ answer: string; version: number; digest: string } | undefined>;
  configVersion(id: string, version: number): Promise<ConfigVersion | undefined>;
  /** Returns the stored versions, newest first. `before` is a version number. */
  listConfigVersions(id: string, page: Page): Promise<ConfigVersionListing[]>;
  listConfigs(page: Page, filter?: ConfigFilter): Promise<ConfigListing[]>;
  /**
   * Deletes a config with all its versions and its schedule. Returns false if the id does not exist or the config does not have the
   * expected version.
   */
  deleteConfig(id: string, expected: number): Promise<boolean>;
  /** Returns the name of a config, or null if it has none or does not exist. */
  configName(id: string): Promise<string | null>;

  /** Adds or replaces the schedule of a config, unless it is new and there are already `max` schedules. */
  saveSchedule(schedule: StoredSchedule, max: number): Promise<ScheduleWrite>;
  /** Records that a time of a schedule started no run, and why. A run records its time itself, see `saveRun`. */
  noteSchedule(configId: string, time: number, problem: string): Promise<void>;
  deleteSchedule(configId: string): Promise<boolean>;
  listSchedules(): Promise<(StoredSchedule & ScheduleState)[]>;

  /**
   * Adds a run, or replaces its stored details. A new run with a `scheduledTime` is recorded as the last run of the
   * schedule of its config, in the same write.
   * @param key the request of a new run; the run and its key are stored together, or neither is. Deletes keys that are
   * older than a day.
   */
  saveRun(run: StoredRun, key?: RequestKey): Promise<void>;
  /** Returns the run that a request with this key has started within the last day, even if the run has been deleted. */
  requestedRun(user: string | null, key: string, now: number): Promise<{ runId: string; digest: string } | undefined>;
  runDetails(id: string): Promise<string | undefined>;
  listRuns(page: Page, filter?: RunFilter): Promise<RunListing[]>;
  /** Returns the newest run of each of these configs that has one. */
  lastRuns(configIds: readonly string[]): Promise<LastRun[]>;
  /** Returns the details of the runs that are not done, oldest first. */
  unfinishedRuns(): Promise<string[]>;
  /**
   * Adds pieces to the log of a run, or replaces the pieces with the same numbers. Deletes the pieces before `oldest`.
   */
  saveRunLog(runId: string, pieces: readonly RunLogPiece[], oldest: number): Promise<void>;
  /** Returns the stored pieces of the log of a run, in order. */
  runLog(runId: string): Promise<RunLogPiece[]>;
  /** Adds failed documents to a run. */
  addFailures(runId: string, failures: readonly StoredFailure[]): Promise<void>;
  /** Returns failed documents of a run after a position, in the order in which they failed. */
  runFailures(runId: string, page: { after: number; limit: number }, filter?: FailureFilter): Promise<FailurePage>;
  /** Returns the groups with the most failed documents of a run, optionally only those that failed at one place. */
  failureGroups(runId: string, limit: number, at?: string): Promise<FailureGroups>;
  /** Replaces the samples of a run. */
  saveSamples(runId: string, samples: string): Promise<void>;
  /** Returns the samples of a run as JSON. */
  runSamples(runId: string): Promise<string | undefined>;
  /** Deletes the oldest finished runs beyond `max` runs. Returns whether any were deleted. */
  trimRuns(max: number): Promise<boolean>;
  /**
   * Removes the oldest contents of failed documents beyond this size over all runs. These documents are still listed.
   * Deletes the oldest failed documents beyond `MAX_STORED_FAILURES`.
   */
  trimFailures(maxBytes: number): Promise<void>;
  /** Deletes the oldest pieces of the logs beyond this size over all runs. */
  trimLogs(maxBytes: number): Promise<void>;

  /** Why the last write failed, or undefined if it succeeded. */
  readonly failure: string | undefined;
  /** Writes a test value. `failure` then shows whether writing works. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
