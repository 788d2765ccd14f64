import { isDeepStrictEqual } from 'node:util';
import { counted, MASK } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import type { Schedule, ScheduleSettings } from '../api/schedule.ts';
import { configNotFound } from '../configs/config-errors.ts';
import type { Configs } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Limits } from '../settings/service-settings.ts';
import type { StoredSchedule } from '../store/store.ts';
import { CronTimes, type CronTiming, timingProblem } from './cron-times.ts';
import type { ScheduleClock } from './schedule-clock.ts';
import { type KeptSettings, ScheduleEntry } from './schedule-entry.ts';
import { scheduleIsFixed, scheduleNotFound } from './schedule-errors.ts';
import { ScheduleStarter, type ScheduleStarterOptions } from './schedule-starter.ts';

/** The number of future start times in an answer. */
const NEXT_TIMES = 3;
/** The longest wait of the timer. It then looks at the clock again, which may have been set. */
const MAX_WAIT_MILLIS = 60_000;
/** A time that is recognized later than this has passed while the machine slept, or the clock was set forward. */
const LATE_SECONDS = 120;

export interface SchedulesOptions extends ScheduleStarterOptions {
  configs: Configs;
  clock: ScheduleClock;
  limits: Pick<Limits, 'maxSchedules' | 'minScheduleSeconds'>;
}

/** The settings of a schedule in a request. */
export interface ScheduleRequest extends ScheduleSettings {
  /** The overrides as a JSON object. */
  overrides: string | undefined;
}

/** The schedules of the configs: which exist, and when the next one is due. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #entries = new Map<string, ScheduleEntry>();
  readonly #starter: ScheduleStarter;
  #cancelWait: () => void = () => undefined;
  #lastWake = 0;
  #open = false;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.#starter = new ScheduleStarter(options);
    options.metrics.watch(() => {
      const enabled = [...this.#entries.values()].filter(({ settings }) => settings.enabled).length;
      return { enabled, paused: this.#entries.size - enabled };
    });
  }

  /**
   * Loads the schedules and starts the timer. Call this when the presets are loaded.
   * @param fixed the schedules of the service file, by config id
   */
  async start(fixed: ReadonlyMap<string, ScheduleSettings>): Promise<void> {
    const { store, clock } = this.#options;
    await this.#storeFixed(fixed);
    const now = clock.now();
    for (const stored of await store.listSchedules()) {
      try {
        const entry = new ScheduleEntry(stored);
        // A time since the last one has passed while the service did not run.
        entry.plan(Math.min(now, Math.max(stored.setTime, stored.lastTime ?? 0)));
        this.#entries.set(stored.configId, entry);
      } catch (error) {
        this.#options.warn(`The schedule of the config ${stored.configId} cannot be used: ${String(error)}`);
      }
    }
    this.#open = true;
    this.#wake(0);
  }

  /** Starts no more runs from now on. */
  stop(): void {
    this.#open = false;
    this.#cancelWait();
    this.#starter.stop();
  }

  /** Stops, and waits for the start that is in progress. */
  async close(): Promise<void> {
    this.stop();
    await this.#starter.idle();
  }

  /**
   * Returns a page of the schedules, in the order of their next times. Paused ones come last.
   * @param after the cursor from the previous page
   */
  async list(after: string | undefined, limit: number): Promise<{ items: Schedule[]; next: string | null }> {
    const from = after === undefined ? undefined : parseCursor(after);
    const rest = [...this.#entries.values()]
      .map((entry): Place => ({ time: entry.next ?? Number.POSITIVE_INFINITY, configId: entry.configId, entry }))
      .filter((place) => from === undefined || compare(place, from) > 0)
      .sort(compare);
    const page = rest.slice(0, limit);
    const items = await Promise.all(page.map(({ entry }) => this.#answer(entry)));
    const last = page.at(-1);
    return { items, next: rest.length > limit && last !== undefined ? cursorOf(last) : null };
  }

  /** Returns the schedule of a config. */
  async get(key: string): Promise<Schedule> {
    return this.#answer(await this.#find(key));
  }

  /** Returns when the next run of a config is due, or null if it has no schedule or a paused one. */
  nextTime(configId: string): number | null {
    return this.#entries.get(configId)?.next ?? null;
  }

  /** Returns the next times of an expression. Throws if it would be refused as a schedule. */
  nextTimes(timing: CronTiming): number[] {
    this.#checkTiming(timing);
    return new CronTimes(timing).after(this.#options.clock.now(), NEXT_TIMES);
  }

  /**
   * Sets the schedule of a config, and replaces the old one.
   * @param mayOverride throws if the sender may not set overrides
   */
  async set(
    key: string,
    request: ScheduleRequest,
    { setBy, mayOverride }: { setBy: string | null; mayOverride: () => void },
  ): Promise<{ schedule: Schedule; created: boolean }> {
    const { store, creator, configs, clock, limits } = this.#options;
    const { overrides: given, ...settings } = request;
    this.#checkTiming(settings);
    if ((await configs.find(key)) === undefined) throw configNotFound(key);
    const overrides = await this.#overrides(key, given, mayOverride);
    const overlap = settings.overlap === 'skip' ? undefined : settings.overlap;
    // Refuses what the start of a run would refuse.
    const body = { config: { configId: key }, overrides, overlap, labels: { ...settings.labels } };
    const { config, overrides: shownOverrides } = await creator.spec(body, { requestedBy: setBy });
    if (config === undefined) throw configNotFound(key);
    const configId = config.id;
    if (this.#entries.get(configId)?.stored.fixed) throw scheduleIsFixed(key);
    const kept: KeptSettings = {
      ...settings,
      ...(overrides === undefined ? {} : { overrides }),
      ...(shownOverrides === undefined ? {} : { shownOverrides }),
    };
    const preset = config.version === null;
    const stored = { configId, preset, fixed: false, settings: JSON.stringify(kept), setTime: clock.now(), setBy };
    const written = await store.saveSchedule(stored, limits.maxSchedules);
    if (written === 'missing') throw configNotFound(key);
    if (written === 'full') throw storeFull(limits.maxSchedules);
    const known = this.#entries.get(configId);
    const entry = known ?? new ScheduleEntry(stored);
    known?.set(stored);
    entry.plan(stored.setTime);
    this.#entries.set(configId, entry);
    this.#setTimer();
    return { schedule: await this.#answer(entry), created: known === undefined };
  }

  /** Removes the schedule of a config. Its active runs continue. */
  async delete(key: string): Promise<void> {
    const entry = await this.#find(key);
    if (entry.stored.fixed) throw scheduleIsFixed(key);
    if (!(await this.#options.store.deleteSchedule(entry.configId))) throw scheduleNotFound(key);
    this.forget(entry.configId);
  }

  /** Forgets the schedule of a config that was deleted. The store has deleted it with the config. */
  forget(configId: string): void {
    const entry = this.#entries.get(configId);
    if (entry === undefined) return;
    entry.removed = true;
    this.#entries.delete(configId);
    this.#setTimer();
  }

  /** Stores the schedules of the service file, and deletes those that are no longer in it. */
  async #storeFixed(fixed: ReadonlyMap<string, ScheduleSettings>): Promise<void> {
    const { store, configs, clock, warn } = this.#options;
    const known = new Map((await store.listSchedules()).map((schedule) => [schedule.configId, schedule]));
    for (const { configId, fixed: wasFixed } of known.values()) {
      if (wasFixed && !fixed.has(configId)) await store.deleteSchedule(configId);
    }
    for (const [configId, each] of fixed) {
      if ((await configs.find(configId)) === undefined) {
        warn(`The service file schedules the preset ${configId}, which does not exist or was skipped`);
      }
      const settings = JSON.stringify(each);
      const before = known.get(configId);
      // An unchanged schedule keeps its time, so that missed times are found.
      if (before?.fixed && before.settings === settings) continue;
      const stored: StoredSchedule = {
        configId,
        preset: true,
        fixed: true,
        settings,
        setTime: clock.now(),
        setBy: null,
      };
      await store.saveSchedule(stored, Number.MAX_SAFE_INTEGER);
    }
  }

  #checkTiming(timing: CronTiming): void {
    const problem = timingProblem(timing, this.#options.limits.minScheduleSeconds);
    if (problem !== undefined) throw new ApiError('HR_SCHEDULE_REFUSED', problem.message, { hint: problem.hint });
  }

  /** Returns the overrides of a request with their secrets. */
  async #overrides(key: string, given: string | undefined, mayOverride: () => void): Promise<string | undefined> {
    if (given === undefined) return undefined;
    const known = this.#entries.get(await this.#idOf(key))?.settings;
    // A client that changes another setting sends the overrides as it got them.
    if (known?.shownOverrides !== undefined && isDeepStrictEqual(JSON.parse(given), known.shownOverrides)) {
      return known.overrides;
    }
    mayOverride();
    if (!given.includes(MASK)) return given;
    throw new ApiError('HR_REQUEST_INVALID', `overrides contains ${MASK}, which the service shows instead of secrets`, {
      hint: 'Send the secret itself, or all overrides as GET returned them.',
    });
  }

  async #find(key: string): Promise<ScheduleEntry> {
    const entry = this.#entries.get(await this.#idOf(key));
    if (entry !== undefined) return entry;
    if ((await this.#options.configs.find(key)) === undefined) throw configNotFound(key);
    throw scheduleNotFound(key);
  }

  /** Returns the id of a config. A preset may have a schedule although its file was removed. */
  async #idOf(key: string): Promise<string> {
    if (this.#entries.has(key)) return key;
    const found = await this.#options.configs.find(key);
    return found?.kind === 'stored' ? found.config.id : key;
  }

  async #answer(entry: ScheduleEntry): Promise<Schedule> {
    const { store, runs } = this.#options;
    const { configId, stored, lastTime, lastProblem, lastRunId } = entry;
    const { overrides: _, shownOverrides, ...settings } = entry.settings;
    const text = lastRunId === null ? undefined : await runs.details(lastRunId);
    const run = text === undefined ? undefined : (JSON.parse(text) as RunDetails);
    return {
      configId,
      configName: stored.preset ? null : await store.configName(configId),
      preset: stored.preset,
      ...settings,
      ...(shownOverrides === undefined ? {} : { overrides: shownOverrides }),
      fixed: stored.fixed,
      setTime: stored.setTime,
      setBy: stored.setBy,
      nextTimes: entry.nextTimes(NEXT_TIMES),
      lastTime,
      lastProblem,
      lastRun: run === undefined ? null : lastRun(run),
    };
  }

  /** Handles all times that have come, and waits for the next one. */
  #wake(lateSeconds: number): void {
    const now = this.#options.clock.now();
    const setBack = now < this.#lastWake - LATE_SECONDS;
    this.#lastWake = now;
    for (const entry of this.#entries.values()) {
      if (setBack) entry.plan(now);
      const { next: time } = entry;
      if (time === undefined || time > now) continue;
      entry.plan(now);
      if (now - time > lateSeconds && !entry.settings.catchUp) this.#starter.missed(entry, time);
      else this.#starter.start(entry, time);
    }
    this.#setTimer();
  }

  #setTimer(): void {
    this.#cancelWait();
    if (!this.#open || this.#entries.size === 0) return;
    const now = this.#options.clock.now();
    let millis = MAX_WAIT_MILLIS;
    for (const { next } of this.#entries.values()) {
      if (next !== undefined) millis = Math.min(millis, Math.max(0, Math.ceil((next - now) * 1000)));
    }
    this.#cancelWait = this.#options.clock.wait(millis, () => this.#wake(LATE_SECONDS));
  }
}

function lastRun({ runId, status, startTime, endTime }: RunDetails): NonNullable<Schedule['lastRun']> {
  return { runId, status, startTime, endTime };
}

function storeFull(max: number): ApiError {
  return new ApiError(
    'HR_SCHEDULE_STORE_FULL',
    `The store already has ${counted(max, 'schedule')}, which is the limit`,
    {
      hint: 'Delete schedules (DELETE /v1/config/{id}/schedule), or raise limits.maxSchedules in the service file.',
    },
  );
}

/** The place of a schedule in the list. */
interface Position {
  time: number;
  configId: string;
}

interface Place extends Position {
  entry: ScheduleEntry;
}

function compare(a: Position, b: Position): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.configId < b.configId ? -1 : a.configId > b.configId ? 1 : 0;
}

function cursorOf({ time, configId }: Position): string {
  return `${Number.isFinite(time) ? time : 'paused'}:${configId}`;
}

function parseCursor(cursor: string): Position {
  const at = cursor.indexOf(':');
  const time = cursor.slice(0, at);
  return { time: time === 'paused' ? Number.POSITIVE_INFINITY : Number(time), configId: cursor.slice(at + 1) };
}
