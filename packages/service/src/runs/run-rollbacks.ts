import type { RunDetails } from '../api/run-details.ts';
import type { Configs } from '../configs/configs.ts';
import type { Store } from '../store/store.ts';
import { configOfRun } from './config-of-run.ts';
import type { Previews } from './previews.ts';
import { type RunManager, runNotFound, stillRunning } from './run-manager.ts';

export interface RunRollbacksOptions {
  readonly store: Store;
  readonly configs: Configs;
  readonly runs: RunManager;
  readonly previews: Previews;
}

/** Undoes runs: puts the output that a run has replaced into use again. */
export class RunRollbacks {
  readonly #options: RunRollbacksOptions;

  constructor(options: RunRollbacksOptions) {
    this.#options = options;
  }

  /**
   * Undoes a run. Throws an `ApiError` if its output is not in use.
   * @param configId a config to use in its current version. Defaults to the version that the run used
   */
  async rollBack(runId: string, configId: string | undefined, requestedBy: string | null): Promise<string> {
    const { runs, previews } = this.#options;
    const text = await runs.details(runId);
    if (text === undefined) throw runNotFound(runId);
    const details = JSON.parse(text) as RunDetails;
    if (!details.done) throw stillRunning(runId);
    const { root, registry, trusted } = (await configOfRun(details, configId, this.#options)).source;
    const message = await previews.rollback({ root, registry, trusted, runId });
    return runs.rolledBack(runId, { time: Date.now() / 1000, requestedBy, message });
  }
}
