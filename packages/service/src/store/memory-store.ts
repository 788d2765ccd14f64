import { withoutDocument } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { containsText } from './contains-text.ts';
import {
  type ConfigFilter,
  type ConfigListing,
  type ConfigVersion,
  type ConfigVersionListing,
  type ConfigWrite,
  type FailureFilter,
  type FailureGroup,
  type FailureGroups,
  type FailurePage,
  FORGOTTEN_CONTENT,
  type LastRun,
  MAX_FAILURE_PAGE,
  MAX_STORED_FAILURES,
  type Page,
  REQUEST_KEY_SECONDS,
  type RequestKey,
  type RunFilter,
  type RunListing,
  type RunLogPiece,
  type ScheduleState,
  type ScheduleWrite,
  type Store,
  type StoredConfig,
  type StoredFailure,
  type StoredRun,
  type StoredSchedule,
} from './store.ts';

interface KeptConfig {
  seq: number;
  config: StoredConfig;
  /** The versions, oldest first. The last one is the current version. */
  versions: ConfigVersion[];
  first: { createdTime: number; createdBy: string | null };
}

/** A store without files, which loses its content when the process ends. For tests and trials. */
export class MemoryStore implements Store {
  readonly directory = undefined;
  readonly failure: string | undefined = undefined;
  readonly #configs = new Map<string, KeptConfig>();
  readonly #runs = new Map<string, StoredRun & { seq: number }>();
  readonly #logs = new Map<string, Map<number, { seq: number; piece: RunLogPiece }>>();
  readonly #failures = new Map<string, (StoredFailure & { seq: number })[]>();
  readonly #samples = new Map<string, string>();
  /** The requests by user and key. */
  readonly #requests = new Map<string, RequestKey & { runId: string }>();
  readonly #schedules = new Map<string, StoredSchedule & ScheduleState>();
  #lastSeq = 0;

  async addConfig(config: StoredConfig, max: number): Promise<ConfigWrite> {
    if (this.#configs.size >= max) return 'full';
    if (config.name !== null && this.#find(config.name) !== undefined) return 'name-taken';
    const { createdTime, createdBy } = config.current;
    const first = { createdTime, createdBy };
    this.#configs.set(config.id, { seq: ++this.#lastSeq, config, versions: [config.current], first });
    return 'written';
  }

  async replaceConfig(config: StoredConfig, expected: number, maxVersions: number): Promise<ConfigWrite> {
    const kept = this.#configs.get(config.id);
    if (kept === undefined) return 'missing';
    if (kept.config.current.version !== expected) return 'changed';
    if (config.name !== null && (this.#find(config.name) ?? kept) !== kept) return 'name-taken';
    if (config.current.version !== expected) kept.versions.push(config.current);
    kept.versions.splice(0, kept.versions.length - maxVersions);
    kept.config = config;
    return 'written';
  }

  async config(key: string): Promise<StoredConfig | undefined> {
    return this.#find(key)?.config;
  }

  async configAnswer(key: string): Promise<{ answer: string; version: number; digest: string } | undefined> {
    const current = this.#find(key)?.config.current;
    return current && { answer: current.answer, version: current.version, digest: current.digest };
  }

  async configVersion(id: string, version: number): Promise<ConfigVersion | undefined> {
    return this.#configs.get(id)?.versions.find((each) => each.version === version);
  }

  async listConfigVersions(id: string, { before = Infinity, limit }: Page): Promise<ConfigVersionListing[]> {
    const versions = this.#configs.get(id)?.versions ?? [];
    return versions
      .filter(({ version }) => version < before)
      .reverse()
      .slice(0, limit)
      .map(({ version, digest, createdTime, createdBy }) => ({ version, digest, createdTime, createdBy }));
  }

  async listConfigs(page: Page, { labels = {}, text = '' }: ConfigFilter = {}): Promise<ConfigListing[]> {
    const matches = ({ config }: KeptConfig) =>
      hasLabels(config, labels) && containsText([config.id, config.name, config.description].join('\n'), text);
    return newestFirst(this.#configs, page, matches).map(({ seq, config: { current, ...config }, first }) => ({
      seq,
      ...config,
      ...first,
      version: current.version,
      digest: current.digest,
      updatedTime: current.createdTime,
      updatedBy: current.createdBy,
    }));
  }

  async deleteConfig(id: string, expected: number): Promise<boolean> {
    if (this.#configs.get(id)?.config.current.version !== expected) return false;
    this.#schedules.delete(id);
    return this.#configs.delete(id);
  }

  async configName(id: string): Promise<string | null> {
    return this.#configs.get(id)?.config.name ?? null;
  }

  async saveSchedule(schedule: StoredSchedule, max: number): Promise<ScheduleWrite> {
    const { configId, preset } = schedule;
    const known = this.#schedules.get(configId);
    if (!preset && !this.#configs.has(configId)) return 'missing';
    if (known === undefined && this.#schedules.size >= max) return 'full';
    this.#schedules.set(configId, { lastTime: null, lastRunId: null, lastProblem: null, ...known, ...schedule });
    return 'written';
  }

  async noteSchedule(configId: string, lastTime: number, lastProblem: string): Promise<void> {
    const known = this.#schedules.get(configId);
    if (known !== undefined) Object.assign(known, { lastTime, lastProblem });
  }

  async deleteSchedule(configId: string): Promise<boolean> {
    return this.#schedules.delete(configId);
  }

  async listSchedules(): Promise<(StoredSchedule & ScheduleState)[]> {
    return [...this.#schedules.values()].map((schedule) => ({ ...schedule }));
  }

  async saveRun(run: StoredRun, key?: RequestKey): Promise<void> {
    const known = this.#runs.get(run.id);
    const schedule = known === undefined && run.scheduledTime !== undefined && this.#schedules.get(run.configId);
    if (schedule) Object.assign(schedule, { lastTime: run.scheduledTime, lastRunId: run.id, lastProblem: null });
    const seq = known?.seq ?? ++this.#lastSeq;
    this.#runs.set(run.id, { ...run, seq });
    if (key === undefined) return;
    for (const [name, { time }] of this.#requests) {
      if (time >= key.time - REQUEST_KEY_SECONDS) break;
      this.#requests.delete(name);
    }
    this.#requests.set(requestName(key.user, key.key), { ...key, runId: run.id });
  }

  async requestedRun(
    user: string | null,
    key: string,
    now: number,
  ): Promise<{ runId: string; digest: string } | undefined> {
    const found = this.#requests.get(requestName(user, key));
    if (found === undefined || found.time < now - REQUEST_KEY_SECONDS) return undefined;
    return { runId: found.runId, digest: found.digest };
  }

  async runDetails(id: string): Promise<string | undefined> {
    return this.#runs.get(id)?.details;
  }

  async listRuns(page: Page, filter: RunFilter = {}): Promise<RunListing[]> {
    const { configId, statuses, labels = {}, requestedBy, since = -Infinity, until = Infinity } = filter;
    const wanted = (run: StoredRun) =>
      (configId === undefined || run.configId === configId) &&
      (statuses === undefined || statuses.includes(run.status)) &&
      (requestedBy === undefined || run.requestedBy === requestedBy) &&
      run.startTime >= since &&
      run.startTime < until &&
      hasLabels(run, labels);
    return newestFirst(this.#runs, page, wanted).map(({ seq, id, details }) => ({ seq, id, details }));
  }

  async lastRuns(configIds: readonly string[]): Promise<LastRun[]> {
    const last = new Map([...this.#runs.values()].map((run) => [run.configId, run]));
    return configIds.flatMap((configId) => {
      const run = last.get(configId);
      if (run === undefined) return [];
      const { progress, runResult } = JSON.parse(run.details) as Partial<RunDetails>;
      const problem = runResult?.problems[0]?.message ?? null;
      const { id: runId, status, startTime } = run;
      return { configId, runId, status, startTime, failed: progress?.failed ?? 0, problem };
    });
  }

  async unfinishedRuns(): Promise<string[]> {
    return [...this.#runs.values()].filter((run) => !run.done).map((run) => run.details);
  }

  async saveRunLog(runId: string, pieces: readonly RunLogPiece[], oldest: number): Promise<void> {
    const log = this.#logs.get(runId) ?? new Map<number, { seq: number; piece: RunLogPiece }>();
    this.#logs.set(runId, log);
    for (const piece of pieces) {
      const seq = log.get(piece.number)?.seq ?? ++this.#lastSeq;
      log.set(piece.number, { seq, piece: { ...piece } });
    }
    for (const number of log.keys()) if (number < oldest) log.delete(number);
  }

  async runLog(runId: string): Promise<RunLogPiece[]> {
    return [...(this.#logs.get(runId)?.values() ?? [])].map(({ piece }) => piece);
  }

  async addFailures(runId: string, failures: readonly StoredFailure[]): Promise<void> {
    const known = this.#failures.get(runId) ?? [];
    this.#failures.set(runId, known);
    for (const failure of failures) known.push({ ...failure, seq: ++this.#lastSeq });
  }

  async runFailures(
    runId: string,
    { after, limit }: { after: number; limit: number },
    { connector, at, group, replayable = false }: FailureFilter = {},
  ): Promise<FailurePage> {
    const items: FailurePage['items'] = [];
    let characters = 0;
    for (const { seq, line, ...failure } of this.#failures.get(runId) ?? []) {
      if (seq <= after || (replayable && !failure.replayable)) continue;
      if (connector !== undefined && connector !== failure.connector) continue;
      if (at !== undefined && at !== failure.at) continue;
      if (group !== undefined && group !== failure.group) continue;
      if (items.length >= limit || characters >= MAX_FAILURE_PAGE) return { items, more: true };
      items.push({ seq, line });
      characters += line.length;
    }
    return { items, more: false };
  }

  async failureGroups(runId: string, limit: number, at?: string): Promise<FailureGroups> {
    const groups = new Map<string, FailureGroup>();
    let failures = 0;
    for (const failure of this.#failures.get(runId) ?? []) {
      if (at !== undefined && at !== failure.at) continue;
      const { group, line } = failure;
      const found = groups.getOrInsertComputed(group, () => ({ group, count: 0, replayable: 0, line }));
      found.count++;
      if (failure.replayable) found.replayable++;
      failures++;
    }
    const items = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, limit);
    return { items, groups: groups.size, failures };
  }

  async saveSamples(runId: string, samples: string): Promise<void> {
    this.#samples.set(runId, samples);
  }

  async runSamples(runId: string): Promise<string | undefined> {
    return this.#samples.get(runId);
  }

  async trimRuns(max: number): Promise<boolean> {
    const excess = Math.max(0, this.#runs.size - max);
    const oldest = [...this.#runs.values()].filter((run) => run.done).slice(0, excess);
    for (const { id } of oldest) {
      this.#runs.delete(id);
      this.#logs.delete(id);
      this.#failures.delete(id);
      this.#samples.delete(id);
    }
    return oldest.length > 0;
  }

  async trimFailures(maxBytes: number): Promise<void> {
    let excess = [...this.#failures.values()].reduce((sum, { length }) => sum + length, -MAX_STORED_FAILURES);
    for (const failures of this.#failures.values()) {
      if (excess <= 0) break;
      excess -= failures.splice(0, excess).length;
    }
    const newest = [...this.#failures.values()]
      .flat()
      .filter(({ replayable }) => replayable)
      .sort((a, b) => b.seq - a.seq);
    let bytes = 0;
    for (const failure of newest) {
      bytes += Buffer.byteLength(failure.line);
      if (bytes <= maxBytes) continue;
      failure.line = withoutDocument(failure.line, FORGOTTEN_CONTENT);
      failure.replayable = false;
    }
  }

  async trimLogs(maxBytes: number): Promise<void> {
    const newest = [...this.#logs.values()]
      .flatMap((log) => [...log.values()].map((kept) => ({ log, ...kept })))
      .sort((a, b) => b.seq - a.seq);
    let bytes = 0;
    for (const { log, piece } of newest) {
      bytes += Buffer.byteLength(piece.text);
      if (bytes > maxBytes) log.delete(piece.number);
    }
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {}

  /** Returns a config by its id or its name. */
  #find(key: string): KeptConfig | undefined {
    const found = this.#configs.get(key);
    if (found !== undefined) return found;
    for (const kept of this.#configs.values()) if (kept.config.name === key) return kept;
    return undefined;
  }
}

function requestName(user: string | null, key: string): string {
  return JSON.stringify([user, key]);
}

function hasLabels(
  item: { labels: Readonly<Record<string, string>> },
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(item.labels, key) && item.labels[key] === value);
}

function newestFirst<T extends { seq: number }>(
  items: ReadonlyMap<string, T>,
  { before, limit }: Page,
  wanted: (item: T) => boolean = () => true,
): T[] {
  return [...items.values()]
    .filter((item) => (before === undefined || item.seq < before) && wanted(item))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit);
}
