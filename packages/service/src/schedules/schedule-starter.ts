import type { RunDetails } from '../api/run-details.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RunCreator } from '../runs/run-creator.ts';
import type { RunManager } from '../runs/run-manager.ts';
import type { ScheduleMetrics } from '../stats/schedule-metrics.ts';
import type { Store } from '../store/store.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { problemOf, type ScheduleProblem } from './schedule-errors.ts';

export interface ScheduleStarterOptions {
  store: Store;
  runs: RunManager;
  creator: RunCreator;
  metrics: ScheduleMetrics;
  warn(message: string): void;
  /** Called for each run that a schedule has started or could not start. */
  onDue(due: DueRun): void;
}

export interface DueRun {
  configId: string;
  /** The user who has set the schedule. */
  user: string | null;
  /** Undefined if the run could not be started. */
  runId: string | undefined;
}

/** Starts the runs of schedules, one at a time, and records what happened at each time. */
export class ScheduleStarter {
  readonly #options: ScheduleStarterOptions;
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ScheduleStarterOptions) {
    this.#options = options;
  }

  /** Starts the run of a time. */
  start(entry: ScheduleEntry, time: number): void {
    if (entry.starting) {
      this.#queue(() => this.#skip(entry, time, 'The start of the previous run was still in progress'));
      return;
    }
    entry.starting = true;
    this.#queue(async () => {
      try {
        await this.#start(entry, time);
      } finally {
        entry.starting = false;
      }
    });
  }

  /** Records a time that has passed without a run. */
  missed(entry: ScheduleEntry, time: number): void {
    this.#queue(() => this.#skip(entry, time, 'The service was not running at this time', 'missed'));
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Waits until everything is recorded. */
  idle(): Promise<void> {
    return this.#last;
  }

  #queue(work: () => Promise<void>): void {
    this.#last = this.#last.then(work);
  }

  async #start(entry: ScheduleEntry, time: number): Promise<void> {
    const { creator, metrics, onDue } = this.#options;
    const { configId, stored, settings } = entry;
    const { overlap, overrides, labels } = settings;
    // A time that comes while the service shuts down counts as missed at the next start.
    if (this.#stopped || entry.removed || !settings.enabled) return;
    try {
      if (overlap === 'skip' && (await this.#lastRunIsActive(entry))) {
        return await this.#skip(entry, time, 'The last run of the schedule was still active');
      }
      const body = {
        config: { configId },
        overrides,
        overlap: overlap === 'skip' ? undefined : overlap,
        labels: { ...labels },
      };
      const details = await creator.start(body, { requestedBy: stored.setBy, scheduledTime: time });
      const { runId } = JSON.parse(details) as RunDetails;
      Object.assign(entry, { lastTime: time, lastRunId: runId, lastProblem: null });
      metrics.due('started');
      onDue({ user: stored.setBy, configId, runId });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'HR_SHUTTING_DOWN') return;
      const problem = problemOf(error);
      this.#options.warn(`The schedule of the config ${configId} could not start a run: ${problem.message}`);
      metrics.due('failed');
      onDue({ user: stored.setBy, configId, runId: undefined });
      await this.#note(entry, time, problem);
    }
  }

  async #lastRunIsActive({ lastRunId }: ScheduleEntry): Promise<boolean> {
    const text = lastRunId === null ? undefined : await this.#options.runs.details(lastRunId);
    return text !== undefined && !(JSON.parse(text) as RunDetails).done;
  }

  async #skip(entry: ScheduleEntry, time: number, message: string, outcome: 'skipped' | 'missed' = 'skipped') {
    this.#options.metrics.due(outcome);
    await this.#note(entry, time, { code: 'HR_SCHEDULE_SKIPPED', message });
  }

  async #note(entry: ScheduleEntry, time: number, problem: ScheduleProblem): Promise<void> {
    Object.assign(entry, { lastTime: time, lastProblem: problem });
    try {
      await this.#options.store.noteSchedule(entry.configId, time, JSON.stringify(problem));
    } catch (error) {
      this.#options.warn(`The store has not recorded a time of the schedule of ${entry.configId}: ${String(error)}`);
    }
  }
}
