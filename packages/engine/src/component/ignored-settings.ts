import type { IndexerSettings } from './indexer-settings.ts';
import type { ParameterProblem } from './parameters.ts';

/** Warns about settings of the `indexer` block that have no effect with an indexer. */
export function* ignoredSettings(
  settings: IndexerSettings,
  names: readonly (keyof IndexerSettings)[],
  indexer: string,
  instead: string,
): Generator<ParameterProblem> {
  for (const name of names) {
    const value = settings[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    yield {
      block: 'indexer',
      parameter: name,
      message: `Config setting 'indexer.${name}' has no effect with ${indexer}: ${instead}`,
      severity: 'warning',
    };
  }
}

/**
 * Settings that do not apply to files: files store every version of a document in order, have no index, and do not fail
 * temporarily.
 */
export const SEARCH_ENGINE_SETTINGS = [
  'idOverrideField',
  'deletionMarkerField',
  'deleteByFieldField',
  'routingField',
  'versionType',
  'versionField',
  'maxRetries',
] as const satisfies readonly (keyof IndexerSettings)[];

/** Settings that do not apply to files: documents are written immediately. */
export const BATCH_SETTINGS = ['batchSize', 'batchByteSize'] as const satisfies readonly (keyof IndexerSettings)[];
