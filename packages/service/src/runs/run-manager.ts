import { randomUUID } from 'node:crypto';
import { type LogRecord, messageOf, type RunHandle, type RunListeners, type RunRequest } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import type { ConfigSource } from '../configs/config-source.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Limits } from '../settings/service-settings.ts';
import type { RunMetrics } from '../stats/run-metrics.ts';
import type { Page, RequestKey, RunFilter, Store } from '../store/store.ts';
import { ActiveRun, type RunIds, type RunOrder, storedRun } from './active-run.ts';
import { admit } from './admission.ts';
import { FinishedRuns } from './finished-runs.ts';
import { RetryHandle } from './retry-handle.ts';
import { allFailures } from './run-failures.ts';
import { RunJournals } from './run-journals.ts';
import { RunQueue } from './run-queue.ts';

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
  starter: RunStarter;
  metrics: RunMetrics;
  limits: Pick<Limits, 'maxConcurrentRuns' | 'maxQueuedRuns' | 'maxRuns' | 'maxFailureBytes' | 'maxLogBytes'>;
  /** A line of a run's log. */
  onLog(run: RunIds, record: LogRecord): void;
  /** Something went wrong that no request can be told of. */
  onError(message: string, error: unknown): void;
}

/** Runs: a queue in front of a number of places, and what becomes of each. A finished one is in the store alone. */
export class RunManager {
  /** What the runs tell while they go on. */
  readonly journals: RunJournals;
  readonly #options: RunManagerOptions;
  /** Runs that are not done, and those that are but could not be stored yet. */
  readonly #active = new Map<string, ActiveRun>();
  readonly #queue = new RunQueue<ActiveRun>();
  readonly #finished = new FinishedRuns();
  #running = 0;
  #closing = false;
  #ticker: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(options: RunManagerOptions) {
    this.#options = options;
    this.journals = new RunJournals(options.store);
    options.metrics.watch(() => ({ running: this.#running, queued: this.#queue.size, going: this.#going() }));
  }

  /**
   * Takes a run into the queue, and starts it when there is a place. Gives its details as JSON.
   * @param key the request that asks for it: kept with the run, both or neither
   */
  async start(order: RunOrder, key?: RequestKey): Promise<string> {
    if (this.#closing) {
      throw new Refusal('HR_SHUTTING_DOWN', 'The service is shutting down and starts no runs', {
        headers: { 'retry-after': '5' },
      });
    }
    admit(order, this.#active.values(), this.#options.limits);
    const { journals } = this;
    const run = new ActiveRun(randomUUID(), order, { journals, position: (waiting) => this.#queue.position(waiting) });
    this.#active.set(run.id, run);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MILLIS).unref();
    try {
      run.dirty = false;
      await this.#options.store.saveRun(run.stored(), key);
    } catch (error) {
      this.#active.delete(run.id);
      this.journals.discard(run.id);
      this.#settle();
      throw error;
    }
    this.#options.metrics.accepted();
    // While it was being stored it may have been cancelled.
    if (run.status === 'QUEUED') {
      this.#queue.add(run);
      this.#startNext();
    }
    if (order.retryOf !== undefined) await this.#noteRetry(order.retryOf, run.id);
    return run.stored().details;
  }

  /** The source of a waiting run of this version of a config, so that a long queue of one config holds it once. */
  waitingSource(configId: string, version: number | null): ConfigSource | undefined {
    const order = this.#queue.last(configId)?.order;
    return order?.config?.version === version && order.overrides === undefined ? order.source : undefined;
  }

  /** The details of a run as JSON. */
  async details(id: string): Promise<string | undefined> {
    const run = this.#active.get(id);
    if (run !== undefined) return shown(run);
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
    return Promise.all(
      runs.map(async ({ seq, id, details }) => {
        const run = this.#active.get(id);
        return { seq, details: run === undefined ? details : await shown(run) };
      }),
    );
  }

  /** Asks a run to end: one that waits is done at once, one that goes on stops soon. Gives its details as JSON. */
  async cancel(id: string): Promise<string> {
    const run = this.#active.get(id);
    if (run === undefined || run.done) {
      if (run === undefined && (await this.details(id)) === undefined) throw runNotFound(id);
      throw new Refusal('HR_RUN_IS_DONE', `The run ${id} has ended already`);
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
    await this.#save(run);
    return run.stored().details;
  }

  /** Starts no more runs from now on. */
  refuseRuns(): void {
    this.#closing = true;
  }

  /** Waits until no run goes on, but not longer than the given time. */
  async idle(millis: number): Promise<void> {
    if (this.#running === 0) return;
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

  /** Ends all runs as `INTERRUPTED`, and waits for it, but not longer than the given time. */
  async close(graceMillis: number): Promise<void> {
    this.#closing = true;
    for (const run of [...this.#active.values()]) {
      if (run.status === 'QUEUED') this.#interrupt(run, 'The service shut down before the run began');
      else if (!run.done) run.stop('INTERRUPTED');
    }
    await this.idle(graceMillis);
    for (const run of [...this.#active.values()]) {
      if (!run.done) this.#interrupt(run, 'The service shut down while the run was going, and it did not stop in time');
    }
    clearInterval(this.#ticker);
    await Promise.all([...this.#active.values()].map((run) => this.#save(run)));
  }

  #interrupt(run: ActiveRun, message: string): void {
    this.#queue.remove(run);
    run.abandon('INTERRUPTED', { severity: 'error', code: 'HR_RUN_INTERRUPTED', path: '', message });
    this.#ended(run);
  }

  #startNext(): void {
    while (!this.#closing && this.#running < this.#options.limits.maxConcurrentRuns) {
      const run = this.#queue.next();
      if (run === undefined) return;
      this.#begin(run);
      void this.#save(run);
    }
  }

  #begin(run: ActiveRun): void {
    const listeners: RunListeners = {
      onLog: (record) => this.#options.onLog(run.ids, run.journal.logged(record)),
      onFailures: (failures) => run.journal.failed(failures),
      onConnectors: () => run.connectorsChanged(),
    };
    try {
      const handle = this.#start(run, listeners);
      run.run(handle);
      this.#running++;
      handle.done
        .then((result) => {
          this.#running--;
          this.#queue.ended(run);
          // A run that did not stop in time has been given up.
          if (run.done) return;
          run.finish(result);
          this.#ended(run);
          void this.#save(run);
        })
        .catch((error) => this.#options.onError(`The end of run ${run.id} could not be noted`, error));
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
    const { source, retryOf } = run.order;
    const { root, registry, trusted } = source;
    const request = { runId: run.id, root, registry, trusted };
    if (retryOf === undefined) return starter.start(request, listeners);
    const read = () => allFailures(store, retryOf);
    return new RetryHandle(run.id, read, (retry) => starter.start({ ...request, retry }, listeners));
  }

  /** Notes with a run that is done that another one runs its failed documents again. That one goes on in any case. */
  async #noteRetry(id: string, by: string): Promise<void> {
    const active = this.#active.get(id);
    if (active !== undefined) {
      active.retriedBy(by);
      return;
    }
    try {
      const text = await this.#options.store.runDetails(id);
      if (text === undefined) return;
      await this.#options.store.saveRun(storedRun({ ...(JSON.parse(text) as RunDetails), retriedBy: by }));
    } catch (error) {
      this.#options.onError(`Run ${by} could not be noted with run ${id}, which it retries`, error);
    }
    this.#finished.forget(id);
  }

  /** The details of the runs that are not done. */
  *#going(): Generator<RunDetails> {
    for (const run of this.#active.values()) if (!run.done) yield run.details();
  }

  /** Counts a run that is done, and gives its place to the next. */
  #ended(run: ActiveRun): void {
    this.#options.metrics.ended(run.details());
    this.#startNext();
    if (this.#running === 0) this.#whenIdle?.();
  }

  /** Stores what is new of a run. One that is done leaves the memory then; if storing fails, the next tick tries again. */
  async #save(run: ActiveRun): Promise<void> {
    if (run.dirty) run.saving = this.#store(run);
    await run.saving;
  }

  async #store(run: ActiveRun): Promise<void> {
    run.dirty = false;
    const stored = run.stored();
    try {
      // When it is stored that a run is done, all that it has told is there.
      await run.journal.failures.settled();
      await Promise.all([this.#options.store.saveRun(stored), run.journal.log.save()]);
    } catch (error) {
      run.dirty = true;
      this.#options.onError(`Run ${run.id} could not be stored; it is tried again`, error);
      return;
    } finally {
      if (stored.done) run.journal.end(stored.details);
    }
    if (!stored.done) return;
    // Meanwhile it may have been noted with it that another one retries it.
    if (run.dirty) return this.#store(run);
    this.#finished.put(run.id, stored.details);
    this.#active.delete(run.id);
    this.journals.close(run.id);
    this.#settle();
    await this.#trim();
  }

  async #trim(): Promise<void> {
    const { store, limits } = this.#options;
    try {
      if (await store.trimRuns(limits.maxRuns)) this.#finished.clear();
      await store.trimFailures(limits.maxFailureBytes);
      await store.trimLogs(limits.maxLogBytes);
    } catch (error) {
      this.#options.onError('The oldest runs, or contents and logs of them, could not be removed', error);
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

/** The details of a run as JSON. Nobody sees an end before it is stored, if it can be: a crash must not take it back. */
async function shown(run: ActiveRun): Promise<string> {
  if (run.done) await run.saving;
  return run.stored().details;
}

export function runNotFound(id: string): Refusal {
  return new Refusal('HR_RUN_NOT_FOUND', `There is no run ${id}`, { hint: 'GET /v1/run lists the runs.' });
}
