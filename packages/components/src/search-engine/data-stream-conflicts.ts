import type { IndexerSettings, ParameterProblem } from '@headrace/engine';
import type { IndexParameters } from './index-parameters.ts';

/** The parameters that a data stream may not support. */
export type DataStreamParameters = Pick<IndexParameters, 'create' | 'rebuild' | 'sync' | 'skipUnchanged' | 'update'> & {
  readonly join?: unknown;
};

/** The settings that change or delete documents by their id. */
type Settings = Pick<
  IndexerSettings,
  'childrenField' | 'deletionMarkerField' | 'deleteByFieldField' | 'versionType' | 'versionField'
>;

const ONLY_ADDS = 'A data stream only adds documents';

/** Returns each setting of a config that cannot work if all documents go to a data stream. */
export function* dataStreamConflicts(params: DataStreamParameters, settings: Settings): Generator<ParameterProblem> {
  const { create, rebuild, sync, skipUnchanged } = params;
  for (const part of ['settings', 'mappings', 'mappingsFile'] as const) {
    if (create?.[part] === undefined) continue;
    yield {
      parameter: ['create', part],
      message: `create.${part} has no effect for a data stream, which takes its settings and mappings from its index template`,
      hint: 'Write them into the file of the template (template { settings, mappings }), and name it in create.templates.',
    };
  }
  if (rebuild !== undefined) {
    yield {
      parameter: 'rebuild',
      message: 'A rebuild writes to a new index and moves an alias to it, which a data stream cannot do',
      hint: 'Remove rebuild, or write to an index.',
    };
  }
  if (sync?.deleteMissing === true) {
    yield {
      parameter: ['sync', 'deleteMissing'],
      message: `${ONLY_ADDS}: documents that it has already are not written again, and deleteMissing would delete them`,
      hint: 'Remove sync, or write to an index.',
    };
  }
  if (skipUnchanged === true) {
    yield {
      parameter: 'skipUnchanged',
      message: `${ONLY_ADDS}: a changed document with the same id cannot be sent`,
      hint: 'Remove skipUnchanged: documents whose id the data stream has count as unchanged anyway.',
    };
  }
  if (settings.childrenField !== undefined) {
    yield {
      block: 'indexer',
      parameter: 'childrenField',
      message: `${ONLY_ADDS}: the children of an earlier version cannot be replaced`,
      hint: 'Remove indexer.childrenField, or write to an index.',
    };
  }
  if (settings.deletionMarkerField !== undefined && settings.deleteByFieldField === undefined) {
    yield {
      block: 'indexer',
      parameter: 'deletionMarkerField',
      message: `${ONLY_ADDS}: no document can be deleted by its id`,
      hint: 'Delete by a field (indexer.deleteByFieldField and deleteByFieldValue), or write to an index.',
    };
  }
  yield* documentConflicts(params, settings);
}

/** Returns each setting with which no document can be written to a data stream. */
export function* documentConflicts(
  { update, join }: Pick<DataStreamParameters, 'update' | 'join'>,
  { versionType, versionField }: Pick<Settings, 'versionType' | 'versionField'>,
): Generator<ParameterProblem> {
  if (update === true) {
    yield {
      parameter: 'update',
      message: `${ONLY_ADDS}: existing documents cannot be updated`,
      hint: 'Remove update, or write to an index.',
    };
  }
  if (versionType !== undefined && versionField !== undefined) {
    yield {
      block: 'indexer',
      parameter: 'versionType',
      message: `${ONLY_ADDS}: there are no external versions`,
      hint: 'Remove indexer.versionType and versionField, or write to an index.',
    };
  }
  if (join !== undefined) {
    yield {
      parameter: 'join',
      message: 'A join works within one index, but a data stream has several',
      hint: 'Remove join, or write to an index.',
    };
  }
}
