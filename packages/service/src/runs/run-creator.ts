import type { Overlap } from '../api/overlap.ts';
import { isConfigId } from '../configs/config-name.ts';
import type { Configs } from '../configs/configs.ts';
import { Refusal } from '../errors/refusal.ts';
import type { ConfigFormat } from '../store/store.ts';
import type { RunOrder } from './active-run.ts';
import { configNow, findConfig } from './config-now.ts';
import type { Repeat, RepeatedRequests } from './repeated-requests.ts';
import type { RunManager } from './run-manager.ts';

/** A run as a request asks for it. */
export interface RunAsk {
  /** A stored config or a preset, by its id or name; or a config of its own. */
  what: { configId: string } | { text: string; format: ConfigFormat };
  /** An object as JSON: values by path that are laid over the config. */
  overrides: string | undefined;
  /** As the service file says when absent. */
  overlap: Overlap | undefined;
  labels: Record<string, string>;
  requestedBy: string | null;
  /** The id of the request. */
  requestId: string;
}

export interface RunRequestsOptions {
  configs: Configs;
  runs: RunManager;
  repeats: RepeatedRequests;
  /** What holds for requests that say nothing. */
  overlap: Overlap;
  /** One run of a config at a time, whatever a request says. */
  preventConcurrentRuns: boolean;
}

/** Makes runs of requests: finds the config, and what holds where a request says nothing. */
export class RunRequests {
  readonly #options: RunRequestsOptions;

  constructor(options: RunRequestsOptions) {
    this.#options = options;
  }

  /** Starts a run, and gives its details as JSON. */
  async start(ask: RunAsk, repeat?: Repeat): Promise<string> {
    const { repeats, runs } = this.#options;
    return repeats.once(ask.requestedBy, repeat, async (key) => runs.start(await this.#order(ask), key));
  }

  /** The id of a config that a run has, for an id or name. */
  async configId(key: string): Promise<string> {
    if (isConfigId(key)) return key;
    const found = await this.#options.configs.find(key);
    return found?.kind === 'stored' ? found.config.id : key;
  }

  async #order({ what, overrides, overlap, labels, requestedBy, requestId }: RunAsk): Promise<RunOrder> {
    const common = { overlap: this.#overlap(overlap), labels, requestedBy, requestId };
    if ('text' in what) {
      const own = await this.#options.configs.ownSource(what.text, what.format, overrides);
      return { config: undefined, ...own, ...common };
    }
    return { ...(await this.#known(what.configId, overrides)), ...common };
  }

  async #known(key: string, overrides: string | undefined): Promise<Pick<RunOrder, 'config' | 'source' | 'overrides'>> {
    const { configs } = this.#options;
    const found = await findConfig(configs, key);
    if (overrides === undefined) return configNow(found, this.#options);
    if (found.kind === 'preset') throw noOverrides(key);
    const { id, name, current } = found.config;
    const source = await configs.ownSource(current.text, current.format, overrides);
    return { config: { id, name, version: current.version }, ...source };
  }

  #overlap(asked: Overlap | undefined): Overlap {
    const { overlap, preventConcurrentRuns } = this.#options;
    if (asked === 'allow' && preventConcurrentRuns) {
      throw new Refusal('HR_REQUEST_INVALID', 'preventConcurrentRuns allows one run of a config at a time', {
        hint: 'Ask with "overlap": "queue", and the run begins when the others have ended.',
      });
    }
    return asked ?? (preventConcurrentRuns && overlap === 'allow' ? 'refuse' : overlap);
  }
}

/** A preset may do what an upload may not, and have secrets of the environment: only its file says what it does. */
function noOverrides(key: string): Refusal {
  return new Refusal('HR_CONFIG_IS_PRESET', `The config ${key} is a preset, which takes no overrides`, {
    hint: 'Upload it as a config (POST /v1/config), or make another preset.',
  });
}
