import { type IndexerSettings, MapOf, type ParameterProblem, READS, type Static, Type } from '@headrace/engine';
import { isIndexTemplate, isNameOfIndex } from './index-name.ts';

/** A saved query with the documents that it should find. */
const query = Type.Object({
  /** The name of the query in reports. Defaults to its position. */
  name: Type.Optional(Type.String()),
  /** The query in the query language of the search engine: match { title: "summer shoes" }. */
  query: MapOf(Type.Unknown()),
  /** The ids of the documents that belong at the top of the result. */
  expected: Type.Array(Type.String()),
  /** The lowest nDCG of the first ten hits, from 0 to 1: whether all expected documents are found, and how high. */
  minNdcg: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  /** The lowest reciprocal rank, from 0 to 1: 1 if an expected document is the first hit, 0.5 if it is the second. */
  minMrr: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
});

const checks = Type.Object({
  /** How many documents the new index must have. Without min, it must have at least one. */
  documents: Type.Optional(
    Type.Object({
      /** The lowest number. Defaults to 1. */
      min: Type.Optional(Type.Integer({ minimum: 0 })),
      /** The highest number. Defaults to no limit. */
      max: Type.Optional(Type.Integer({ minimum: 0 })),
      /** By how many percent the number may be lower than in the live index. */
      maxFewerPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      /** By how many percent the number may be higher than in the live index. */
      maxMorePercent: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  /** How many documents of the run may fail. */
  maxFailed: Type.Optional(Type.Integer({ minimum: 0 })),
  /** For each field, the lowest percentage of documents that must have it: title: 100. Put names with dots in quotes. */
  required: Type.Optional(MapOf(Type.Number({ minimum: 0, maximum: 100 }))),
  /** Saved queries with the documents that they should find. */
  queries: Type.Optional(Type.Array(query)),
});

/** The parameters of the indexers that create and replace indices. */
export const indexParameters = {
  /**
   * Creates what is missing before the first document: the index with settings and mappings (or mappingsFile, a JSON
   * file), templates (names and JSON files of index templates) and pipelines (names and JSON files of ingest pipelines).
   * What exists is not changed, unless update is true. Defaults to none.
   */
  create: Type.Optional(
    Type.Object({
      /** The settings of the index: number_of_shards: 2. */
      settings: Type.Optional(MapOf(Type.Unknown())),
      /** The mappings of the index: properties { title { type: text } }. */
      mappings: Type.Optional(MapOf(Type.Unknown())),
      /** A JSON file with the mappings. */
      mappingsFile: Type.Optional(Type.String(READS)),
      /** Index templates: for each name, a JSON file. */
      templates: Type.Optional(MapOf(Type.String(READS))),
      /** Ingest pipelines: for each name, a JSON file. */
      pipelines: Type.Optional(MapOf(Type.String(READS))),
      /** Whether a run also changes what exists and differs. The search engine refuses some changes. Defaults to false. */
      update: Type.Optional(Type.Boolean({ default: false })),
    }),
  ),
  /**
   * Writes each run to a new index, and moves alias to it if the run succeeded and all checks passed. keep is the number
   * of older indices that are kept for a rollback. Defaults to none: documents go to the index itself.
   */
  rebuild: Type.Optional(
    Type.Object({
      /** The alias that searches use. Defaults to index. */
      alias: Type.Optional(Type.String()),
      /** How many older indices are kept. Defaults to 1. */
      keep: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 1 })),
      /** What the new index must fulfil before the alias moves: documents, maxFailed, required, queries. */
      checks: Type.Optional(checks),
    }),
  ),
  /**
   * Deletes documents that the source no longer has, at the end of a complete run: deleteMissing, maxDeletePercent and
   * where. Defaults to none.
   */
  sync: Type.Optional(
    Type.Object({
      /**
       * Whether a run deletes the documents that it did not write, if all its connectors succeeded and no document
       * failed. Defaults to false.
       */
      deleteMissing: Type.Optional(Type.Boolean({ default: false })),
      /** If more than this percentage would be deleted, nothing is, and the run fails. Defaults to 20. */
      maxDeletePercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, default: 20 })),
      /**
       * The documents that come from this source, if the index has others: a query, such as term { source: shop }.
       * Defaults to all.
       */
      where: Type.Optional(MapOf(Type.Unknown())),
    }),
  ),
};

const schema = Type.Object(indexParameters);

type CheckParameters = Static<typeof checks>;
export type IndexParameters = Static<typeof schema> & { readonly index: string; readonly update?: boolean };

/** The alias that a rebuild moves. */
export function aliasOf({ index, rebuild }: IndexParameters): string {
  return rebuild?.alias ?? index;
}

/** Reports mistakes in the blocks `create`, `rebuild` and `sync`. */
export function* checkIndexParameters(params: IndexParameters, settings: IndexerSettings): Generator<ParameterProblem> {
  const { create, rebuild, index } = params;
  const fixed = !isIndexTemplate(index) && isNameOfIndex(index) && !index.startsWith('<');
  for (const block of ['create', 'rebuild'] as const) {
    if (params[block] === undefined || fixed) continue;
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
  if (rebuild === undefined) return;
  const alias = aliasOf(params);
  if (rebuild.alias !== undefined && (!isNameOfIndex(alias) || alias.startsWith('<'))) {
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

function* checkChecks({ documents = {}, queries = [] }: CheckParameters): Generator<ParameterProblem> {
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

function* checkSync(
  { sync, rebuild }: IndexParameters,
  { whitelist, blacklist, versionType, indexOverrideField }: IndexerSettings,
  isFixed: boolean,
): Generator<ParameterProblem> {
  if (sync?.deleteMissing !== true) return;
  const parameter = 'sync.deleteMissing';
  if (rebuild !== undefined) {
    yield { parameter, message: 'a rebuild already omits what the source no longer has', hint: 'Remove sync.' };
  }
  if (!isFixed || indexOverrideField !== undefined) {
    yield {
      parameter,
      message: 'deleteMissing needs one index with a fixed name for all documents',
      hint: 'Remove the placeholders from index and indexer.indexOverrideField, or remove sync.',
    };
  }
  if (versionType !== undefined) {
    yield {
      parameter,
      message: 'deleteMissing would delete documents whose version has not changed, because they are not written again',
      hint: 'Remove indexer.versionType, or remove sync.',
    };
  }
  if (
    blacklist?.includes('run_id') === true ||
    (whitelist !== undefined && whitelist.length > 0 && !whitelist.includes('run_id'))
  ) {
    yield {
      parameter,
      message: 'deleteMissing finds old documents by the field run_id, which is not sent',
      hint: 'Send it: change indexer.whitelist or indexer.blacklist.',
    };
  }
}
