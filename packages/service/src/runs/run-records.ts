import type { RunDetails } from '../api/run-details.ts';
import type { Limits } from '../settings/service-settings.ts';
import type { Page, RequestKey, RunFilter, Store } from '../store/store.ts';
import { type ActiveRun, storedRun } from './active-run.ts';
import { FinishedRuns } from './finished-runs.ts';
import type { RunJournals } from './run-journals.ts';

export interface RunRecordsOptions {
  store: Store;
  journals: RunJournals;
  limits: Pick<Limits, 'maxRuns' | 'maxFailureBytes' | 'maxLogBytes'>;
  /** How often the changes of active runs are stored. */
  saveMillis: number;
  /** Reports an error that occurs outside a request. */
  onError(message: string, error: unknown): void;
}

/** The details of all runs. Active runs are in memory and saved when they change; finished runs are in the store. */
export class RunRecords {
  readonly #options: RunRecordsOptions;
  /** The runs that are not done, and finished runs that could not be stored yet. */
  readonly #active = new Map<string, ActiveRun>();
  readonly #finished = new FinishedRuns();
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: RunRecordsOptions) {
    this.#options = options;
  }

  /** Returns the runs in memory. */
  active(): Iterable<ActiveRun> {
    return this.#active.values();
  }

  find(id: string): ActiveRun | undefined {
    return this.#active.get(id);
  }

  /**
   * Stores a new run.
   * @param key the request that started the run; the run and its key are stored together, or neither is
   */
  async add(run: ActiveRun, key: RequestKey | undefined): Promise<void> {
    const { store, journals } = this.#options;
    this.#active.set(run.id, run);
    this.#ticker ??= setInterval(() => this.#tick(), this.#options.saveMillis).unref();
    try {
      run.dirty = false;
      await store.saveRun(run.stored(), key);
    } catch (error) {
      this.#active.delete(run.id);
      journals.discard(run.id);
      this.#settle();
      throw error;
    }
  }

  /** Returns the details of a run as JSON. */
  async details(id: string): Promise<string | undefined> {
    const run = this.#active.get(id);
    if (run !== undefined) return shown(run);
    const known = this.#finished.get(id);
    if (known !== undefined) return known;
    const stored = await this.#options.store.runDetails(id);
    if (stored === undefined) return undefined;
    // The run may have become active while the store was reading.
    if (!this.#active.has(id)) this.#finished.put(id, stored);
    return stored;
  }

  /** Returns the samples of a run as JSON. */
  async samples(id: string): Promise<string | undefined> {
    return this.#active.get(id)?.samples.toJson() ?? this.#options.store.runSamples(id);
  }

  /** Returns runs as JSON, newest first. `seq` is the position of each run for paging. */
  async list(page: Page, filter: RunFilter): Promise<{ seq: number; details: string }[]> {
    const runs = await this.#options.store.listRuns(page, filter);
    return Promise.all(
      runs.map(async ({ seq, id, details }) => {
        const run = this.#active.get(id);
        return { seq, details: run === undefined ? details : await shown(run) };
      }),
    );
  }

  /** Records on a finished run that another run retries its failed documents. If this fails, the retry still runs. */
  async noteRetry(id: string, by: string): Promise<void> {
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
      this.#options.onError(`Run ${by} could not be recorded in the details of run ${id}, which it retries`, error);
    }
    this.#finished.forget(id);
  }

  /** Records the rollback of a finished run. Returns its details as JSON. */
  async noteRollback(id: string, rolledBack: RunDetails['rolledBack']): Promise<string> {
    // A finished run may still be in memory, because the store was not available.
    const active = this.#active.get(id);
    if (active !== undefined) await this.save(active);
    const { store } = this.#options;
    const text = (await store.runDetails(id)) as string;
    const stored = storedRun({ ...(JSON.parse(text) as RunDetails), rolledBack });
    await store.saveRun(stored);
    this.#finished.forget(id);
    return stored.details;
  }

  /**
   * Stores the changes of a run. A finished run then leaves the memory. If storing fails, the next tick tries again.
   */
  async save(run: ActiveRun): Promise<void> {
    if (run.dirty) run.saving = this.#store(run);
    await run.saving;
  }

  /** Stores the changes of all runs for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    await Promise.all([...this.#active.values()].map((run) => this.save(run)));
  }

  async #store(run: ActiveRun): Promise<void> {
    const { store, journals, onError } = this.#options;
    run.dirty = false;
    const stored = run.stored();
    const samples = run.samples.toStore(stored.done);
    try {
      // When the store shows a run as done, its failures and its log must be complete.
      await run.journal.failures.settled();
      await Promise.all([
        store.saveRun(stored),
        run.journal.log.save(),
        samples === undefined ? undefined : store.saveSamples(run.id, samples),
      ]);
    } catch (error) {
      run.dirty = true;
      onError(`Run ${run.id} could not be stored; the service tries again`, error);
      return;
    } finally {
      if (stored.done) run.journal.end(stored.details);
    }
    if (!stored.done) return;
    // A retry of this run may have been recorded during the save.
    if (run.dirty) return this.#store(run);
    this.#finished.put(run.id, stored.details);
    this.#active.delete(run.id);
    journals.close(run.id);
    this.#settle();
    await this.#trim();
  }

  async #trim(): Promise<void> {
    const { store, limits, onError } = this.#options;
    try {
      if (await store.trimRuns(limits.maxRuns)) this.#finished.clear();
      await store.trimFailures(limits.maxFailureBytes);
      await store.trimLogs(limits.maxLogBytes);
    } catch (error) {
      onError('The oldest runs, or contents and logs of them, could not be removed', error);
    }
  }

  /** Stops the timer if no run is active. */
  #settle(): void {
    if (this.#active.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #tick(): void {
    for (const run of this.#active.values()) {
      if (run.status === 'RUNNING' || run.status === 'STOPPING') run.sample();
      void this.save(run);
    }
  }
}

/**
 * Returns the details of a run as JSON. A finished run is shown only after it is stored, so that a crash cannot undo an
 * end that a client has seen.
 */
async function shown(run: ActiveRun): Promise<string> {
  if (run.done) await run.saving;
  return run.stored().details;
}
