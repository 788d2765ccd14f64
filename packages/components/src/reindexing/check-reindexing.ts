import type { Checks } from './types.ts';

/** A mistake in the parameters of an indexer. */
export interface ReindexProblem {
  /** The position in the block of the indexer, or in the block `indexer` that all indexers share. */
  readonly parameter: string;
  readonly block?: 'indexer';
  readonly message: string;
  readonly hint?: string;
}

/** The checks of a rebuild, as a config has them. */
export type GivenChecks = Pick<Checks, 'documents'> & {
  readonly queries?: readonly {
    readonly expected: readonly string[];
    readonly minNdcg?: number;
    readonly minMrr?: number;
  }[];
};

/** The parameters of an indexer that are checked. */
interface ReindexParameters {
  readonly index: string;
  readonly update?: boolean;
  readonly create?: {
    readonly settings?: unknown;
    readonly mappings?: unknown;
    readonly mappingsFile?: string;
    readonly templates?: unknown;
    readonly pipelines?: unknown;
  };
  readonly rebuild?: { readonly alias?: string; readonly checks?: GivenChecks };
  readonly sync?: { readonly deleteMissing?: boolean };
  readonly join?: unknown;
  readonly skipUnchanged?: boolean;
  readonly hashesFile?: string;
}

/** Settings of all indexers that conflict with some parameters. */
interface SharedSettings {
  readonly whitelist?: readonly string[];
  readonly blacklist?: readonly string[];
  readonly versionType?: string;
  readonly indexOverrideField?: string;
  readonly deleteByFieldField?: string;
  readonly childrenField?: string;
  readonly routingField?: string;
}

/** Returns the alias that a rebuild moves. */
export function aliasOf({ index, rebuild }: ReindexParameters): string {
  return rebuild?.alias ?? index;
}

/**
 * Reports mistakes in the blocks `create`, `rebuild` and `sync`.
 * @param isName whether a text is the fixed name of an index
 */
export function* checkReindexing(
  params: ReindexParameters,
  settings: SharedSettings,
  isName: (text: string) => boolean,
): Generator<ReindexProblem> {
  const { create, rebuild, index } = params;
  const fixed = isName(index);
  for (const block of ['create', 'rebuild'] as const) {
    if (params[block] === undefined || fixed) continue;
    if (block === 'create' && isOnlyNamed(create)) continue;
    yield {
      parameter: block,
      message: `${block} needs one index with a fixed name, was ${JSON.stringify(index)}`,
      hint: `Remove the placeholders from index, or remove ${block}.`,
    };
  }
  if (create?.mappings !== undefined && create.mappingsFile !== undefined) {
    yield { parameter: 'create.mappingsFile', message: 'mappings and mappingsFile exclude each other' };
  }
  yield* checkSync(params, settings, fixed);
  yield* checkSkip(params, settings, fixed);
  if (rebuild === undefined) return;
  const alias = aliasOf(params);
  if (rebuild.alias !== undefined && !isName(alias)) {
    yield { parameter: 'rebuild.alias', message: `${JSON.stringify(alias)} is not a valid name of an alias` };
  }
  if (params.update === true) {
    yield {
      parameter: 'update',
      message: 'update changes existing documents, but rebuild writes to a new index, which has none',
      hint: 'Remove update, or remove rebuild.',
    };
  }
  if (settings.indexOverrideField !== undefined) {
    yield {
      block: 'indexer',
      parameter: 'indexOverrideField',
      message: 'rebuild writes all documents to one new index, so documents cannot select another one',
      hint: 'Remove indexOverrideField, or remove rebuild.',
    };
  }
  yield* checkChecks(rebuild.checks ?? {});
}

/** Returns whether a block has only templates and pipelines, which can serve many indices. */
function isOnlyNamed(create: ReindexParameters['create'] = {}): boolean {
  const { settings, mappings, mappingsFile, templates, pipelines } = create;
  const describesIndex = settings !== undefined || mappings !== undefined || mappingsFile !== undefined;
  return !describesIndex && (templates !== undefined || pipelines !== undefined);
}

/** Reports mistakes in the checks of a rebuild. */
export function* checkChecks({ documents = {}, queries = [] }: GivenChecks): Generator<ReindexProblem> {
  const { min, max } = documents;
  if (min !== undefined && max !== undefined && min > max) {
    yield { parameter: 'rebuild.checks.documents.min', message: `min is ${min}, which is more than max (${max})` };
  }
  for (const [i, { expected, minNdcg, minMrr }] of queries.entries()) {
    const parameter = `rebuild.checks.queries[${i}]`;
    if (expected.length === 0) yield { parameter: `${parameter}.expected`, message: 'expected names no document' };
    if (minNdcg === undefined && minMrr === undefined) {
      yield {
        parameter,
        message: 'A query needs minNdcg or minMrr',
        hint: 'Write minMrr: 1 if an expected document must be the first hit.',
      };
    }
  }
}

function* checkSkip(
  { skipUnchanged, hashesFile, rebuild, update, sync, join }: ReindexParameters,
  settings: SharedSettings,
  isFixed: boolean,
): Generator<ReindexProblem> {
  const parameter = 'skipUnchanged';
  if (skipUnchanged !== true) {
    if (hashesFile === undefined) return;
    yield { parameter: 'hashesFile', message: 'hashesFile has no effect without skipUnchanged: true' };
    return;
  }
  if (rebuild !== undefined) {
    yield {
      parameter,
      message: 'a rebuild writes to a new index, which has no documents, so all of them must be sent',
      hint: 'Remove skipUnchanged, or remove rebuild.',
    };
  }
  if (!isFixed || settings.indexOverrideField !== undefined) {
    yield {
      parameter,
      message: 'skipUnchanged needs one index with a fixed name for all documents',
      hint: 'Remove the placeholders from index and indexer.indexOverrideField, or remove skipUnchanged.',
    };
  }
  if (update === true) {
    yield {
      parameter,
      message: 'update changes a part of a document, and skipUnchanged knows nothing about the other parts',
      hint: 'Remove update, or remove skipUnchanged.',
    };
  }
  if (sync?.deleteMissing === true && (settings.routingField !== undefined || join !== undefined)) {
    yield {
      parameter,
      message: 'skipUnchanged knows only the ids of the documents that deleteMissing deletes, and not their routing',
      hint: 'Remove skipUnchanged, or remove sync.deleteMissing.',
    };
  }
  for (const setting of ['deleteByFieldField', 'childrenField'] as const) {
    if (settings[setting] === undefined) continue;
    yield {
      parameter,
      message: `indexer.${setting} deletes documents that skipUnchanged cannot know`,
      hint: 'Remove it, or remove skipUnchanged.',
    };
  }
}

function* checkSync(
  { sync, rebuild }: ReindexParameters,
  settings: SharedSettings,
  isFixed: boolean,
): Generator<ReindexProblem> {
  if (sync?.deleteMissing !== true) return;
  const parameter = 'sync.deleteMissing';
  if (rebuild !== undefined) {
    yield { parameter, message: 'a rebuild already omits what the source no longer has', hint: 'Remove sync.' };
  }
  if (!isFixed || settings.indexOverrideField !== undefined) {
    yield {
      parameter,
      message: 'deleteMissing needs one index with a fixed name for all documents',
      hint: 'Remove the placeholders from index and indexer.indexOverrideField, or remove sync.',
    };
  }
  if (settings.versionType !== undefined) {
    yield {
      parameter,
      message: 'deleteMissing would delete documents whose version has not changed, because they are not written again',
      hint: 'Remove indexer.versionType, or remove sync.',
    };
  }
  yield* checkRunId(sync, settings);
}

/** The parameters of an indexer of tables that say which columns are written and created. */
interface GivenColumns {
  readonly columns?: readonly string[];
  readonly create?: { readonly columns: ReadonlyMap<string, unknown> };
}

/** Reports that documents are written without the id of their run: `deleteMissing` would then delete all of them. */
export function* checkRunId(
  sync: { readonly deleteMissing?: boolean } | undefined,
  { whitelist, blacklist }: Pick<SharedSettings, 'whitelist' | 'blacklist'>,
  { columns, create }: GivenColumns = {},
): Generator<ReindexProblem> {
  if (sync?.deleteMissing !== true) return;
  if (
    blacklist?.includes('run_id') === true ||
    (whitelist !== undefined && whitelist.length > 0 && !whitelist.includes('run_id'))
  ) {
    yield {
      parameter: 'sync.deleteMissing',
      message: 'deleteMissing finds old documents by the field run_id, which is not sent',
      hint: 'Send it: change indexer.whitelist or indexer.blacklist.',
    };
  }
  if (columns?.includes('run_id') === false) {
    const message = 'columns does not name run_id, by which deleteMissing finds old rows';
    yield { parameter: 'columns', message, hint: 'Add run_id, and create the column in the table.' };
  }
  if (create?.columns.has('run_id') === false) {
    const message = 'create.columns does not name run_id, by which deleteMissing finds old rows';
    yield { parameter: 'create.columns', message, hint: 'Add run_id: text.' };
  }
}
