import type { ConfigSource } from '../configs/config-source.ts';
import type { Configs, FoundConfig } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RunManager } from './run-manager.ts';
import type { RunSpec } from './run-spec.ts';

/** Returns the config with an id or name. Throws an `ApiError` if it does not exist. */
export async function findConfig(configs: Configs, key: string): Promise<FoundConfig> {
  const found = await configs.find(key);
  if (found !== undefined) return found;
  throw new ApiError('HR_CONFIG_UNKNOWN', `There is no config ${key}`, {
    hint: 'Upload the config (POST /v1/config), or use an id that GET /v1/config lists.',
  });
}

/** Returns the source of a run of the current version of a config. */
export async function configNow(
  found: FoundConfig,
  { configs, runs }: { configs: Configs; runs: RunManager },
): Promise<Pick<RunSpec, 'config' | 'source'>> {
  if (found.kind === 'preset') {
    return { config: { id: found.preset.name, name: null, version: null }, source: found.preset };
  }
  const { id, name, current } = found.config;
  const source: ConfigSource = runs.waitingSource(id, current.version) ?? (await configs.versionSource(current));
  return { config: { id, name, version: current.version }, source };
}
