import type { RunDetails } from '../api/run-details.ts';
import type { Configs } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RequestKey, Store } from '../store/store.ts';
import { configOfRun } from './config-of-run.ts';
import type { Repeat, RepeatedRequests } from './repeated-requests.ts';
import { type RunManager, runNotFound, stillRunning } from './run-manager.ts';
import type { Caller } from './run-spec.ts';

/** The body of a request for a retry. */
export interface RetryBody {
  /** The id or name of a config to use in its current version. Default: the config version that the run used. */
  configId?: string | undefined;
  /** The key of a group of failures. Default: all of them. */
  group?: string | undefined;
}

export interface RunRetriesOptions {
  store: Store;
  configs: Configs;
  runs: RunManager;
  repeats: RepeatedRequests;
  /** True if only one run of a config may be active at a time, even if the retried run allowed several. */
  preventConcurrentRuns: boolean;
}

/** Processes the failed documents of a run again, in a new run. */
export class RunRetries {
  readonly #store: Store;
  readonly #configs: Configs;
  readonly #runs: RunManager;
  readonly #repeats: RepeatedRequests;
  readonly #preventConcurrentRuns: boolean;
  /** The runs for which a retry is being started. They are not yet in the store. */
  readonly #starting = new Set<string>();

  constructor({ store, configs, runs, repeats, preventConcurrentRuns }: RunRetriesOptions) {
    this.#store = store;
    this.#configs = configs;
    this.#runs = runs;
    this.#repeats = repeats;
    this.#preventConcurrentRuns = preventConcurrentRuns;
  }

  /** Starts the new run. Returns its details as JSON. */
  async start(runId: string, body: RetryBody, caller: Caller, repeat?: Repeat): Promise<string> {
    return this.#repeats.once(caller.requestedBy, repeat, (key) => this.#startOne(runId, body, caller, key));
  }

  async #startOne(runId: string, body: RetryBody, caller: Caller, key: RequestKey | undefined): Promise<string> {
    if (this.#starting.has(runId)) {
      throw new ApiError('HR_RUN_IS_GOING', `Another request is starting a retry of the run ${runId}`);
    }
    this.#starting.add(runId);
    try {
      return await this.#startAlone(runId, body, caller, key);
    } finally {
      this.#starting.delete(runId);
    }
  }

  async #startAlone(
    runId: string,
    { configId, group }: RetryBody,
    caller: Caller,
    key: RequestKey | undefined,
  ): Promise<string> {
    const text = await this.#runs.details(runId);
    if (text === undefined) throw runNotFound(runId);
    const details = JSON.parse(text) as RunDetails;
    if (!details.done) throw stillRunning(runId);
    await this.#checkRetried(details);
    const { items } = await this.#runs.journals.failures(runId, { after: 0, limit: 1 }, { group, replayable: true });
    if (items.length === 0) {
      throw new ApiError(
        'HR_RETRY_NOTHING',
        `The run ${runId} has no failed documents${group === undefined ? '' : ` in the group ${group}`} that can be processed again`,
      );
    }
    const parts = { store: this.#store, configs: this.#configs, runs: this.#runs };
    const found = await configOfRun(details, configId, parts);
    const { labels } = details;
    const overlap = details.overlap === 'allow' && this.#preventConcurrentRuns ? 'refuse' : details.overlap;
    return this.#runs.start({ ...found, overlap, labels, ...caller, retryOf: runId, retryGroup: group }, key);
  }

  /** Throws if an earlier retry is still active: two runs that process the same documents would interfere. */
  async #checkRetried({ retriedBy }: RunDetails): Promise<void> {
    const text = retriedBy === undefined ? undefined : await this.#runs.details(retriedBy);
    if (text !== undefined && !(JSON.parse(text) as RunDetails).done) throw stillRunning(retriedBy as string);
  }
}
