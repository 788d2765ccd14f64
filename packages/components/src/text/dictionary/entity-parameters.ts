import type { ParameterProblem } from '@headrace/engine';
import { checkDestination } from '../../fields/destination.ts';
import { checkFieldPairs } from '../../fields/field-pairs.ts';
import { checkStorageSettings, type StorageSettings } from '../../storage/storage-parameters.ts';
import { checkDictionary } from './dictionary-file.ts';

/** Reports problems in the parameters that both stages for entities have. */
export function* checkEntityParameters(
  params: StorageSettings & {
    readonly dictionaries: readonly string[];
    readonly source: readonly string[];
    readonly dest: readonly string[];
    readonly entityField?: string;
  },
): Generator<ParameterProblem> {
  yield* checkFieldPairs(params);
  yield* checkStorageSettings(params);
  if (params.dictionaries.length === 0) {
    yield { parameter: 'dictionaries', message: 'dictionaries must name at least one file' };
  }
  for (const [i, path] of params.dictionaries.entries()) yield* checkDictionary(`dictionaries[${i}]`, path, params);
  if (params.entityField !== undefined) yield* checkDestination('entityField', params.entityField);
}
