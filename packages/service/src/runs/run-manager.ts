import { randomUUID } from 'node:crypto';
import { type LogRecord, messageOf, type RunHandle, type RunListeners, type RunRequest } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import type { ConfigSource } from '../configs/config-source.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Limits } from '../settings/service-settings.ts';
import type { RunMetrics } from '../stats/run-metrics.ts';
import type { LastRun, Page, RequestKey, RunFilter, Store } from '../store/store.ts';
import { ActiveRun, type RunIds } from './active-run.ts';
import { admit } from './admission.ts';
import { RetryHandle } from './retry-handle.ts';
import { allFailures } from './run-failures.ts';
import { RUN_INTERVALS, type RunIntervals } from './run-intervals.ts';
import { RunJournals } from './run-journals.ts';
import { RunPlaces } from './run-places.ts';
import { RunQueue } from './run-queue.ts';
import { RunRecords } from './run-records.ts';
import type { RunSpec } from './run-spec.ts';

/** Starts runs, by default in threads of the engine. */
export interface RunStarter {
  start(request: RunRequest, listeners: RunListeners): RunHandle;
  /** Prepares for a run that will probably need these component modules. */
  prepare?(modules: readonly string[]): void;
}

export interface RunManagerOptions {
  store: Store;
  starter: RunStarter;
  metrics: RunMetrics;
  limits: Pick<Limits, 'maxConcurrentRuns' | 'maxQueuedRuns' | 'maxRuns' | 'maxFailureBytes' | 'maxLogBytes'>;
  /** Default: `RUN_INTERVALS`. */
  intervals?: RunIntervals | undefined;
  /** Receives each line of the log of a run. */
  onLog(run: RunIds, record: LogRecord): void;
  /** Reports an error that occurs outside a request. */
  onError(message: string, error: unknown): void;
}

/** Queues runs, starts them when a place is free, and follows them to their end. */
export class RunManager {
  /** The journals of the active runs. */
  readonly journals: RunJournals;
  readonly #options: RunManagerOptions;
  readonly #records: RunRecords;
  readonly #queue = new RunQueue<ActiveRun>();
  readonly #places: RunPlaces<ActiveRun>;
  #closing = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: RunManagerOptions) {
    this.#options = options;
    const { store, limits, intervals = RUN_INTERVALS } = options;
    this.#places = new RunPlaces(limits.maxConcurrentRuns);
    this.journals = new RunJournals(store, intervals);
    const onError = (message: string, error: unknown) => options.onError(message, error);
    this.#records = new RunRecords({ store, limits, journals: this.journals, saveMillis: intervals.save, onError });
    options.metrics.watch(() => {
      const { begun, waiting } = this.#places;
      return { running: begun - waiting, waiting, queued: this.#queue.size, going: this.#going() };
    });
  }

  /**
   * Adds a run to the queue, and starts it when a place is free. Returns its details as JSON.
   * @param key the request that started the run; the run and its key are stored together, or neither is
   */
  async start(spec: RunSpec, key?: RequestKey): Promise<string> {
    if (this.#closing) {
      throw new ApiError('HR_SHUTTING_DOWN', 'The service is shutting down and starts no runs', {
        headers: { 'retry-after': '5' },
      });
    }
    admit(spec, this.#records.active(), this.#options.limits);
    const { journals } = this;
    const run = new ActiveRun(randomUUID(), spec, { journals, position: (waiting) => this.#queue.position(waiting) });
    await this.#records.add(run, key);
    this.#options.metrics.accepted();
    // A cancel request may have arrived during the save.
    if (run.status === 'QUEUED') {
      this.#queue.add(run);
      this.#startNext();
    }
    if (spec.retryOf !== undefined) await this.#records.noteRetry(spec.retryOf, run.id);
    return run.stored().details;
  }

  /**
   * Returns the source of a waiting run of this version of a config, so that new runs can share it. A long queue of
   * runs of one config then has the config in memory only once.
   */
  waitingSource(configId: string, version: number | null): ConfigSource | undefined {
    const spec = this.#queue.last(configId)?.spec;
    return spec?.config?.version === version && spec.overrides === undefined ? spec.source : undefined;
  }

  /** Returns the details of a run as JSON. */
  details(id: string): Promise<string | undefined> {
    return this.#records.details(id);
  }

  /** Returns the samples of a run as JSON, or undefined if there are none. */
  samples(id: string): Promise<string | undefined> {
    return this.#records.samples(id);
  }

  /** Returns the newest run of each of these configs that has one. */
  lastOf(configIds: readonly string[]): Promise<LastRun[]> {
    return this.#options.store.lastRuns(configIds);
  }

  /** Records the rollback of a finished run. Returns its details as JSON. */
  rolledBack(id: string, rollback: NonNullable<RunDetails['rolledBack']>): Promise<string> {
    return this.#records.noteRollback(id, rollback);
  }

  /** Returns runs as JSON, newest first. `seq` is the position of each run for paging. */
  list(page: Page, filter: RunFilter = {}): Promise<{ seq: number; details: string }[]> {
    return this.#records.list(page, filter);
  }

  /** Asks a run to end: a waiting run ends immediately, a running one stops soon. Returns its details as JSON. */
  async cancel(id: string): Promise<string> {
    const run = this.#records.find(id);
    if (run === undefined || run.done) {
      if (run === undefined && (await this.details(id)) === undefined) throw runNotFound(id);
      throw new ApiError('HR_RUN_IS_DONE', `The run ${id} has already ended`);
    }
    if (run.status === 'QUEUED') {
      this.#queue.remove(run);
      run.abandon('CANCELLED', {
        severity: 'error',
        code: 'HR_RUN_CANCELLED',
        path: '',
        message: 'The run was cancelled before it began',
      });
      this.#ended(run);
    } else {
      run.stop('CANCELLED');
    }
    await this.#records.save(run);
    return run.stored().details;
  }

  /** Refuses new runs from now on. */
  refuseRuns(): void {
    this.#closing = true;
  }

  /** Waits until no run is running, at most for the given time. */
  async idle(millis: number): Promise<void> {
    if (this.#places.begun === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, millis);
    });
    await Promise.race([idle, late]);
    clearTimeout(timer);
  }

  /** Ends all runs as `INTERRUPTED`. Waits at most the given time until they have stopped. */
  async close(graceMillis: number): Promise<void> {
    this.#closing = true;
    for (const run of [...this.#records.active()]) {
      if (run.status === 'QUEUED') this.#interrupt(run, 'The service shut down before the run began');
      else if (!run.done) run.stop('INTERRUPTED');
    }
    await this.idle(graceMillis);
    for (const run of [...this.#records.active()]) {
      if (!run.done)
        this.#interrupt(run, 'The service shut down while the run was running, and it did not stop in time');
    }
    await this.#records.close();
  }

  #interrupt(run: ActiveRun, message: string): void {
    this.#queue.remove(run);
    run.abandon('INTERRUPTED', { severity: 'error', code: 'HR_RUN_INTERRUPTED', path: '', message });
    this.#ended(run);
  }

  #startNext(): void {
    while (this.#places.mayBegin() && !this.#closing) {
      const run = this.#queue.next();
      if (run === undefined) return;
      this.#begin(run);
      void this.#records.save(run);
    }
  }

  #begin(run: ActiveRun): void {
    const listeners: RunListeners = {
      onLog: (record) => this.#options.onLog(run.ids, run.journal.logged(record)),
      onFailures: (failures) => run.journal.failed(failures),
      onConnectors: () => run.connectorsChanged(),
      onWait: () => {
        this.#places.wait(run);
        this.#startNext();
      },
      onContinue: () => {
        const placed = this.#places.whenPlaced(run);
        this.#startNext();
        return placed;
      },
    };
    try {
      const handle = this.#start(run, listeners);
      run.run(handle);
      this.#places.begin();
      handle.done
        .then((result) => {
          this.#places.end(run);
          this.#queue.ended(run);
          // A run that did not stop in time was already abandoned.
          if (run.done) return;
          run.finish(result);
          this.#ended(run);
          void this.#records.save(run);
        })
        .catch((error) => this.#options.onError(`The end of run ${run.id} could not be recorded`, error));
    } catch (error) {
      this.#options.onError(`Run ${run.id} could not be started`, error);
      this.#queue.ended(run);
      run.abandon('FAILED', {
        severity: 'error',
        code: 'HR_INTERNAL',
        path: '',
        message: `The run could not be started: ${messageOf(error)}`,
      });
      this.#ended(run);
    }
  }

  #start(run: ActiveRun, listeners: RunListeners): RunHandle {
    const { starter, store } = this.#options;
    const { source, retryOf, retryGroup } = run.spec;
    const { root, registry, trusted } = source;
    const request = { runId: run.id, root, registry, trusted };
    if (retryOf === undefined) return starter.start(request, listeners);
    const read = () => allFailures(store, retryOf, retryGroup);
    return new RetryHandle(run.id, read, (retry) => starter.start({ ...request, retry }, listeners));
  }

  /** Returns the details of the runs that are not done. */
  *#going(): Generator<RunDetails> {
    for (const run of this.#records.active()) if (!run.done) yield run.details();
  }

  /** Counts a finished run, and starts the next one. */
  #ended(run: ActiveRun): void {
    this.#options.metrics.ended(run.details());
    this.#startNext();
    if (this.#places.begun === 0) this.#whenIdle?.();
  }
}

export function runNotFound(id: string): ApiError {
  return new ApiError('HR_RUN_NOT_FOUND', `There is no run ${id}`, { hint: 'GET /v1/run lists the runs.' });
}

/** Returns the error for a request that needs the end of a run. */
export function stillRunning(runId: string): ApiError {
  return new ApiError('HR_RUN_IS_GOING', `The run ${runId} has not ended yet`, {
    hint: 'Wait until it ends, or cancel it.',
  });
}
