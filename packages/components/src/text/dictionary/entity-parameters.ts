import {
  type ParameterProblem,
  READS,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
} from '@headrace/engine';
import { checkDestination } from '../../fields/destination.ts';
import { checkFieldPairs } from '../../fields/field-pairs.ts';
import { checkStorageSettings, storageParameters } from '../../storage/storage-parameters.ts';
import { checkDictionary } from './dictionary-file.ts';
import type { EntityOutput } from './entity-terms.ts';

/** The parameters that both stages for entities have. */
export const entityParameters = {
  /**
   * Paths of the dictionaries: local paths, file: or classpath: URIs, or objects of a cloud (s3://, gs://,
   * https://…blob.core.windows.net/), which need the block s3, gcp or azure.
   */
  dictionaries: Type.Array(Type.String(READS)),
  /** The fields to search. */
  source: Type.Array(Type.String()),
  /** The fields for the results: one for each source, or one for all. */
  dest: Type.Array(Type.String()),
  /**
   * Whether a term matches only if no letter is directly before or after it. Digits and underscores are allowed there.
   */
  onlyWholeWords: Type.Boolean({ default: true }),
  /** Whether payloads are written instead of terms. A term without a payload is its own payload. */
  usePayloads: Type.Boolean({ default: true }),
  /** A field for the terms, in addition to their payloads. Requires usePayloads. Defaults to none. */
  entityField: Type.Optional(Type.String()),
  /** What happens to a destination that exists: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
  ...storageParameters,
};

const object = Type.Object(entityParameters);
type EntityParameters = Static<typeof object>;

/** Reports problems in these parameters. */
export function* checkEntityParameters(params: EntityParameters): Generator<ParameterProblem> {
  yield* checkFieldPairs(params);
  yield* checkStorageSettings(params);
  if (params.dictionaries.length === 0) {
    yield { parameter: 'dictionaries', message: 'dictionaries must name at least one file' };
  }
  for (const [i, path] of params.dictionaries.entries()) yield* checkDictionary(`dictionaries[${i}]`, path, params);
  if (params.entityField !== undefined) yield* checkDestination('entityField', params.entityField);
}

/** Returns what is written for the terms that were found. */
export function entityOutput({ usePayloads, entityField, updateMode }: EntityParameters): EntityOutput {
  return { usePayloads: usePayloads as boolean, entityField, updateMode: updateMode as UpdateMode };
}
