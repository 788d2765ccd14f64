import { randomUUID } from 'node:crypto';
import { type LogRecord, messageOf, type RunHandle, type RunListeners, type RunRequest } from '@headrace/engine';
import type { ConfigSource } from '../configs/config-source.ts';
import type { Configs } from '../configs/configs.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Metrics } from '../stats/metrics.ts';
import type { Page, RunFilter, Store } from '../store/store.ts';
import { ActiveRun, type RunOrder } from './active-run.ts';
import { FinishedRuns } from './finished-runs.ts';

/** How often the counts of going runs are stored. */
const TICK_MILLIS = 1000;

/** What starts a run: the engine's threads. */
export interface RunStarter {
  start(request: RunRequest, listeners: RunListeners): RunHandle;
  /** Gets ready for a run that will probably need these modules of components. */
  prepare?(modules: readonly string[]): void;
}

export interface RunManagerOptions {
  store: Store;
  configs: Configs;
  starter: RunStarter;
  metrics: Metrics;
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
  maxRuns: number;
  preventConcurrentRuns: boolean;
  /** A line of a run's log. */
  onLog(runId: string, record: LogRecord): void;
  /** Something went wrong that no request can be told of. */
  onError(message: string, error: unknown): void;
}

/** Runs: a queue in front of a number of places, and what becomes of each. A finished one is in the store alone. */
export class RunManager {
  readonly #options: RunManagerOptions;
  /** Runs that are not done, and those that are but could not be stored yet. */
  readonly #active = new Map<string, ActiveRun>();
  readonly #queue: ActiveRun[] = [];
  readonly #finished = new FinishedRuns();
  #running = 0;
  #closing = false;
  #ticker: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(options: RunManagerOptions) {
    this.#options = options;
    options.metrics.gauge('runs.running', () => this.#running);
    options.metrics.gauge('runs.queued', () => this.#queue.length);
  }

  /** Takes a run into the queue, and starts it when there is a place. Gives its details as JSON. */
  async start(order: RunOrder): Promise<string> {
    const source = this.#sharedSource(order.configId) ?? (await this.#options.configs.source(order.configId));
    if (source === undefined) {
      throw new Refusal('HR_CONFIG_UNKNOWN', `There is no config ${order.configId}`, {
        hint: 'Upload it (POST /v1/config), or take an id that GET /v1/config lists.',
      });
    }
    this.#admit(order.configId);
    const run = new ActiveRun(randomUUID(), order, source);
    this.#active.set(run.id, run);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MILLIS).unref();
    try {
      run.dirty = false;
      await this.#options.store.saveRun(run.stored());
    } catch (error) {
      this.#active.delete(run.id);
      this.#settle();
      throw error;
    }
    this.#options.metrics.counter('runs.accepted').add();
    // While it was being stored it may have been cancelled.
    if (run.status === 'QUEUED') {
      this.#queue.push(run);
      this.#startNext();
    }
    return run.stored().details;
  }

  /** The details of a run as JSON. */
  async details(id: string): Promise<string | undefined> {
    const run = this.#active.get(id);
    if (run !== undefined) return run.stored().details;
    const known = this.#finished.get(id);
    if (known !== undefined) return known;
    const stored = await this.#options.store.runDetails(id);
    if (stored === undefined) return undefined;
    // It may have ended, or been looked up, while the store was reading.
    if (!this.#active.has(id)) this.#finished.put(id, stored);
    return stored;
  }

  /** Runs, newest first, as JSON, each with the place that pages go on from. */
  async list(page: Page, filter: RunFilter = {}): Promise<{ seq: number; details: string }[]> {
    const runs = await this.#options.store.listRuns(page, filter);
    return runs.map(({ seq, id, details }) => ({ seq, details: this.#active.get(id)?.stored().details ?? details }));
  }

  /** Asks a run to end: one that waits is done at once, one that goes on stops soon. Gives its details as JSON. */
  async cancel(id: string): Promise<string> {
    const run = this.#active.get(id);
    if (run === undefined || run.done) {
      if (run === undefined && (await this.details(id)) === undefined) throw runNotFound(id);
      throw new Refusal('HR_RUN_IS_DONE', `The run ${id} has ended already`);
    }
    if (run.status === 'QUEUED') {
      this.#leaveQueue(run);
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
    await this.#save(run);
    return run.stored().details;
  }

  /** Starts no more runs from now on. */
  refuseRuns(): void {
    this.#closing = true;
  }

  /** Ends all runs as `INTERRUPTED`, and waits for it, but not longer than the given time. */
  async close(graceMillis: number): Promise<void> {
    this.#closing = true;
    for (const run of [...this.#active.values()]) {
      if (run.status === 'QUEUED') this.#interrupt(run, 'The service shut down before the run began');
      else if (!run.done) run.stop('INTERRUPTED');
    }
    if (this.#running > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMillis);
      });
      await Promise.race([idle, late]);
      clearTimeout(timer);
    }
    for (const run of [...this.#active.values()]) {
      if (!run.done) this.#interrupt(run, 'The service shut down while the run was going, and it did not stop in time');
    }
    clearInterval(this.#ticker);
    await Promise.all([...this.#active.values()].map((run) => this.#save(run)));
  }

  #interrupt(run: ActiveRun, message: string): void {
    this.#leaveQueue(run);
    run.abandon('INTERRUPTED', { severity: 'error', code: 'HR_RUN_INTERRUPTED', path: '', message });
    this.#ended(run);
  }

  /** Whether another run of the config may be taken now. */
  #admit(configId: string): void {
    const { maxConcurrentRuns, maxQueuedRuns, preventConcurrentRuns } = this.#options;
    if (this.#closing) {
      throw new Refusal('HR_SHUTTING_DOWN', 'The service is shutting down and starts no runs', {
        headers: { 'retry-after': '5' },
      });
    }
    let waitingOrGoing = 0;
    for (const run of this.#active.values()) {
      if (run.done) continue;
      waitingOrGoing++;
      if (preventConcurrentRuns && run.configId === configId) {
        throw new Refusal('HR_CONFIG_LOCKED', `The config ${configId} is in use by the run ${run.id}`, {
          hint: 'Wait for that run, or cancel it; preventConcurrentRuns allows one run of a config at a time.',
        });
      }
    }
    if (waitingOrGoing >= maxConcurrentRuns + maxQueuedRuns) {
      const message = `${maxConcurrentRuns} runs are going on and ${maxQueuedRuns} wait already, which is the limit`;
      throw new Refusal('HR_RUN_QUEUE_FULL', message, {
        hint: 'Try again later, or raise limits.maxQueuedRuns or limits.maxConcurrentRuns in the service file.',
        headers: { 'retry-after': '5' },
      });
    }
  }

  /** The source of another run of the config, so that a long queue of one config holds it once. */
  #sharedSource(configId: string): ConfigSource | undefined {
    for (const run of this.#queue) if (run.configId === configId) return run.source;
    return undefined;
  }

  #leaveQueue(run: ActiveRun): void {
    const place = this.#queue.indexOf(run);
    if (place >= 0) this.#queue.splice(place, 1);
  }

  #startNext(): void {
    while (!this.#closing && this.#running < this.#options.maxConcurrentRuns) {
      const run = this.#queue.shift();
      if (run === undefined) return;
      this.#begin(run);
      void this.#save(run);
    }
  }

  #begin(run: ActiveRun): void {
    const { root, registry, trusted } = run.source;
    const onLog = (record: LogRecord) => this.#options.onLog(run.id, record);
    try {
      const handle = this.#options.starter.start({ runId: run.id, root, registry, trusted }, { onLog });
      run.run(handle);
      this.#running++;
      handle.done
        .then((result) => {
          this.#running--;
          // A run that did not stop in time has been given up.
          if (run.done) return;
          run.finish(result);
          this.#ended(run);
          void this.#save(run);
        })
        .catch((error) => this.#options.onError(`The end of run ${run.id} could not be noted`, error));
    } catch (error) {
      this.#options.onError(`Run ${run.id} could not be started`, error);
      run.abandon('FAILED', {
        severity: 'error',
        code: 'HR_INTERNAL',
        path: '',
        message: `The run could not be started: ${messageOf(error)}`,
      });
      this.#ended(run);
    }
  }

  /** Counts a run that is done, and gives its place to the next. */
  #ended(run: ActiveRun): void {
    const { metrics } = this.#options;
    const { status, progress } = run.details();
    metrics.counter(`runs.${status.toLowerCase()}`).add();
    metrics.meter('documents.succeeded').mark(progress.succeeded);
    metrics.meter('documents.failed').mark(progress.failed);
    metrics.meter('documents.dropped').mark(progress.dropped);
    this.#startNext();
    if (this.#running === 0) this.#whenIdle?.();
  }

  /** Stores what is new of a run. One that is done leaves the memory then; if storing fails, the next tick tries again. */
  async #save(run: ActiveRun): Promise<void> {
    if (!run.dirty) return;
    run.dirty = false;
    const stored = run.stored();
    try {
      await this.#options.store.saveRun(stored);
    } catch (error) {
      run.dirty = true;
      this.#options.onError(`Run ${run.id} could not be stored; it is tried again`, error);
      return;
    }
    if (!stored.done) return;
    this.#finished.put(run.id, stored.details);
    this.#active.delete(run.id);
    this.#settle();
    await this.#trim();
  }

  async #trim(): Promise<void> {
    try {
      if (await this.#options.store.trimRuns(this.#options.maxRuns)) this.#finished.clear();
    } catch (error) {
      this.#options.onError('The oldest runs could not be removed', error);
    }
  }

  /** Without runs nothing ticks. */
  #settle(): void {
    if (this.#active.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #tick(): void {
    for (const run of this.#active.values()) {
      if (run.status === 'RUNNING' || run.status === 'STOPPING') run.sample();
      void this.#save(run);
    }
  }
}

export function runNotFound(id: string): Refusal {
  return new Refusal('HR_RUN_NOT_FOUND', `There is no run ${id}`, { hint: 'GET /v1/run lists the runs.' });
}
