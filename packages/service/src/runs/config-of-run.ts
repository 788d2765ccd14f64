import type { RunDetails } from '../api/run-details.ts';
import type { Configs } from '../configs/configs.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Store } from '../store/store.ts';
import { INLINE_CONFIG } from './active-run.ts';
import { configNow, findConfig } from './config-now.ts';
import type { RunManager } from './run-manager.ts';
import type { RunSpec } from './run-spec.ts';

interface Parts {
  readonly store: Store;
  readonly configs: Configs;
  readonly runs: RunManager;
}

/**
 * Returns the config for a request about a finished run. Throws an `ApiError` if it is not available.
 * @param configId a config to use in its current version. Undefined for the config in the version that the run used
 */
export async function configOfRun(
  details: RunDetails,
  configId: string | undefined,
  parts: Parts,
): Promise<Pick<RunSpec, 'config' | 'source'>> {
  return configId === undefined
    ? sameConfig(details, parts)
    : configNow(await findConfig(parts.configs, configId), parts);
}

/** Returns the config in the version that the run used. */
async function sameConfig(details: RunDetails, { store, configs }: Parts): Promise<Pick<RunSpec, 'config' | 'source'>> {
  const { configId, configVersion, configDigest, overrides } = details;
  if (configId === INLINE_CONFIG) throw otherConfig(details, 'The config came with the request of the run');
  if (overrides !== undefined) throw otherConfig(details, 'The run had overrides, whose secrets are not stored');
  const found = await configs.find(configId);
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
      : await store.configVersion(configId, configVersion);
  if (version === undefined || version.digest !== configDigest) {
    throw otherConfig(details, `The version of the config ${configId} that the run used was deleted`);
  }
  const source = await configs.versionSource(version);
  return { config: { id: configId, name, version: version.version }, source };
}

function otherConfig({ runId }: RunDetails, reason: string): ApiError {
  return new ApiError('HR_RETRY_CONFIG', `${reason}, so the config of the run ${runId} is not available`, {
    hint: 'Name the config to use in its current version: {"configId": "..."}.',
  });
}
