import type { RunDetails } from '../api/types.ts';

/** Returns the name of the config of a run, or its id if it has no name. */
export function runName({ configName, configId, retryOf }: RunDetails): string {
  const name = configId === 'inline' ? 'Config of a request' : (configName ?? configId);
  return retryOf === undefined ? name : `${name} (retry)`;
}
