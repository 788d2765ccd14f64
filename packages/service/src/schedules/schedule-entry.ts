import type { ScheduleSettings } from '../api/schedule.ts';
import type { ScheduleState, StoredSchedule } from '../store/store.ts';
import { CronTimes } from './cron-times.ts';
import type { ScheduleProblem } from './schedule-errors.ts';

/** The settings in the store. */
export interface KeptSettings extends ScheduleSettings {
  /** The overrides of the runs: a JSON object, with its secrets. */
  overrides?: string;
  /** The same overrides with secrets masked. */
  shownOverrides?: Record<string, unknown>;
}

/** A schedule in memory, with its next time. */
export class ScheduleEntry {
  readonly configId: string;
  /** Whether a start of a run is in progress. */
  starting = false;
  /** Whether the schedule was deleted. */
  removed = false;
  lastTime: number | null;
  lastRunId: string | null;
  lastProblem: ScheduleProblem | null;
  /** The next time, in seconds since the epoch. Undefined while the schedule is paused. */
  next: number | undefined;
  #stored: StoredSchedule;
  #settings: KeptSettings;
  #times: CronTimes;

  /** Throws if the expression cannot be read. */
  constructor(stored: StoredSchedule & Partial<ScheduleState>) {
    this.configId = stored.configId;
    this.lastTime = stored.lastTime ?? null;
    this.lastRunId = stored.lastRunId ?? null;
    this.lastProblem = stored.lastProblem == null ? null : (JSON.parse(stored.lastProblem) as ScheduleProblem);
    this.#stored = stored;
    this.#settings = JSON.parse(stored.settings) as KeptSettings;
    this.#times = new CronTimes(this.#settings);
  }

  get stored(): StoredSchedule {
    return this.#stored;
  }

  get settings(): KeptSettings {
    return this.#settings;
  }

  /** Replaces the settings. The next time is then unknown. */
  set(stored: StoredSchedule): void {
    this.#stored = stored;
    this.#settings = JSON.parse(stored.settings) as KeptSettings;
    this.#times = new CronTimes(this.#settings);
  }

  /** Finds the next time after a time. */
  plan(after: number): void {
    this.next = this.#settings.enabled ? this.#times.after(after, 1)[0] : undefined;
  }

  /** Returns the next times, the first of which is `next`. */
  nextTimes(count: number): number[] {
    return this.next === undefined ? [] : [this.next, ...this.#times.after(this.next, count - 1)];
  }
}
