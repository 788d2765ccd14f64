import type { RunDetails } from '../api/run-details.ts';
import type { Configs } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RequestKey, Store } from '../store/store.ts';
import { INLINE_CONFIG } from './active-run.ts';
import { configNow, findConfig } from './config-now.ts';
import type { Repeat, RepeatedRequests } from './repeated-requests.ts';
import { type RunManager, runNotFound } from './run-manager.ts';
import type { Caller, RunSpec } from './run-spec.ts';

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
    if (!details.done) throw isGoing(runId);
    await this.#checkRetried(details);
    const { items } = await this.#runs.journals.failures(runId, { after: 0, limit: 1 }, { group, replayable: true });
    if (items.length === 0) {
      throw new ApiError(
        'HR_RETRY_NOTHING',
        `The run ${runId} has no failed documents${group === undefined ? '' : ` in the group ${group}`} that can be processed again`,
      );
    }
    const found =
      configId === undefined
        ? await this.#sameConfig(details)
        : await configNow(await findConfig(this.#configs, configId), { configs: this.#configs, runs: this.#runs });
    const { labels } = details;
    const overlap = details.overlap === 'allow' && this.#preventConcurrentRuns ? 'refuse' : details.overlap;
    return this.#runs.start({ ...found, overlap, labels, ...caller, retryOf: runId, retryGroup: group }, key);
  }

  /** Throws if an earlier retry is still active: two runs that process the same documents would interfere. */
  async #checkRetried({ retriedBy }: RunDetails): Promise<void> {
    const text = retriedBy === undefined ? undefined : await this.#runs.details(retriedBy);
    if (text !== undefined && !(JSON.parse(text) as RunDetails).done) throw isGoing(retriedBy as string);
  }

  /** Returns the config in the version that the run used. */
  async #sameConfig(details: RunDetails): Promise<Pick<RunSpec, 'config' | 'source'>> {
    const { configId, configVersion, configDigest, overrides } = details;
    if (configId === INLINE_CONFIG) throw otherConfig(details, 'The config came with the request of the run');
    if (overrides !== undefined) throw otherConfig(details, 'The run had overrides, whose secrets are not stored');
    const found = await this.#configs.find(configId);
    if (found === undefined) throw otherConfig(details, `The config ${configId} no longer exists`);
    if (found.kind === 'preset') {
      if (found.preset.digest !== configDigest) throw otherConfig(details, `The preset ${configId} has changed`);
      return { config: { id: configId, name: null, version: null }, source: found.preset };
    }
    const { name, current } = found.config;
    // Runs of older releases have no config version.
    const version =
      configVersion === null || configVersion === current.version
        ? current
        : await this.#store.configVersion(configId, configVersion);
    if (version === undefined || version.digest !== configDigest) {
      throw otherConfig(details, `The version of the config ${configId} that the run used was deleted`);
    }
    const source = await this.#configs.versionSource(version);
    return { config: { id: configId, name, version: version.version }, source };
  }
}

function isGoing(runId: string): ApiError {
  return new ApiError('HR_RUN_IS_GOING', `The run ${runId} has not ended yet`, {
    hint: 'Wait until it ends, or cancel it.',
  });
}

function otherConfig({ runId }: RunDetails, reason: string): ApiError {
  return new ApiError('HR_RETRY_CONFIG', `${reason}, so the run ${runId} cannot be retried with its config`, {
    hint: 'Name the config to use in its current version: {"configId": "..."}.',
  });
}
