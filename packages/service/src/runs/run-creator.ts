import type { Overlap } from '../api/overlap.ts';
import { isConfigId } from '../configs/config-name.ts';
import type { Configs } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RunBody } from '../requests/run-body.ts';
import { configNow, findConfig } from './config-now.ts';
import type { Repeat, RepeatedRequests } from './repeated-requests.ts';
import type { RunManager } from './run-manager.ts';
import type { Caller, RunSpec } from './run-spec.ts';

export interface RunCreatorOptions {
  configs: Configs;
  runs: RunManager;
  repeats: RepeatedRequests;
  /** The overlap of runs whose request does not specify one. */
  overlap: Overlap;
  /** Allow only one run of a config at a time, even if a request specifies something else. */
  preventConcurrentRuns: boolean;
}

/** Starts the runs of requests: finds the config and fills in the defaults. */
export class RunCreator {
  readonly #options: RunCreatorOptions;

  constructor(options: RunCreatorOptions) {
    this.#options = options;
  }

  /** Starts a run. Returns its details as JSON. */
  async start(body: RunBody, caller: Caller, repeat?: Repeat): Promise<string> {
    const { repeats, runs } = this.#options;
    return repeats.once(caller.requestedBy, repeat, async (key) => runs.start(await this.spec(body, caller), key));
  }

  /** Returns the config id that runs are stored with, for the id or name of a config. */
  async configId(key: string): Promise<string> {
    if (isConfigId(key)) return key;
    const found = await this.#options.configs.find(key);
    return found?.kind === 'stored' ? found.config.id : key;
  }

  /** Finds and reads the config of a run, and fills in the defaults. Does not start the run. */
  async spec({ config, overrides, overlap, labels }: RunBody, caller: Caller): Promise<RunSpec> {
    const common = { overlap: this.#overlap(overlap), labels, ...caller };
    if ('text' in config) {
      const inline = await this.#options.configs.inlineSource(config.text, config.format, overrides);
      return { config: undefined, ...inline, ...common };
    }
    return { ...(await this.#known(config.configId, overrides)), ...common };
  }

  async #known(key: string, overrides: string | undefined): Promise<Pick<RunSpec, 'config' | 'source' | 'overrides'>> {
    const { configs } = this.#options;
    const found = await findConfig(configs, key);
    if (overrides === undefined) return configNow(found, this.#options);
    if (found.kind === 'preset') throw noOverrides(key);
    const { id, name, current } = found.config;
    const source = await configs.inlineSource(current.text, current.format, overrides);
    return { config: { id, name, version: current.version }, ...source };
  }

  #overlap(asked: Overlap | undefined): Overlap {
    const { overlap, preventConcurrentRuns } = this.#options;
    if (asked === 'allow' && preventConcurrentRuns) {
      throw new ApiError('HR_REQUEST_INVALID', 'preventConcurrentRuns allows one run of a config at a time', {
        hint: 'Send "overlap": "queue", so that the run starts when the others have ended.',
      });
    }
    return asked ?? (preventConcurrentRuns && overlap === 'allow' ? 'refuse' : overlap);
  }
}

/**
 * Returns the error for overrides of a preset. They are refused because presets may do more than uploads, and may
 * contain secrets of the environment.
 */
function noOverrides(key: string): ApiError {
  return new ApiError('HR_CONFIG_IS_PRESET', `The config ${key} is a preset, and presets do not accept overrides`, {
    hint: 'Upload the file as a config (POST /v1/config), or create another preset.',
  });
}
