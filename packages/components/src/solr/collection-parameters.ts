import { MapOf, type Static, Type, withDefaults } from '@headrace/engine';
import type { CollectionDefinition, RebuildPlan } from '@headrace/reindexing';
import { jsonOf } from '../search-engine/index-lifecycle.ts';
import { foreignWrites, outputChecks, savedQuery } from '../search-engine/index-parameters.ts';

/** A saved query with the documents that it should find. */
const query = Type.Object({
  ...savedQuery,
  /** The parameters of the search: q: "summer shoes", defType: edismax, qf: "title^2 text". */
  query: MapOf(Type.Unknown()),
});

const CreateParameter = Type.Object({
  /** The config set of a new collection. Defaults to a copy of _default. */
  configSet: Type.Optional(Type.String()),
  /** The number of shards of a new collection. */
  shards: Type.Integer({ default: 1, minimum: 1 }),
  /** The number of replicas of each shard of a new collection. */
  replicas: Type.Integer({ default: 1, minimum: 1 }),
  /** The fields of the schema with their properties: title { type: text_general, multiValued: false }. */
  fields: Type.Optional(MapOf(MapOf(Type.Unknown()))),
  /** Whether existing fields that differ are replaced. */
  update: Type.Boolean({ default: false }),
});

const RebuildParameter = Type.Object({
  /** The alias that searches use. Defaults to defaultCollection. */
  alias: Type.Optional(Type.String()),
  /** How many older collections are kept. */
  keep: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
  /** What happens if other programs have written to the live output during the rebuild: fail or report. Defaults to fail. */
  foreignWrites,
  /** What the new collection must fulfil before the alias moves: documents, maxFailed, allowNotices, required, queries. */
  checks: Type.Optional(
    Type.Object({
      ...outputChecks,
      /** Saved queries with the documents that they should find. */
      queries: Type.Optional(Type.Array(query)),
    }),
  ),
});

/** The parameters of the Solr indexer that create and replace collections, and delete what disappeared. */
export const collectionParameters = {
  /**
   * Adds fields to the schema before the first document, and creates the collection of a SolrCloud if it does not exist.
   * What exists is not changed, unless update is true. Defaults to none.
   */
  create: Type.Optional(CreateParameter),
  /**
   * Writes each run to a new collection of a SolrCloud, and moves alias to it if the run succeeded and all checks passed.
   * create describes the new collections. Defaults to none: documents go to defaultCollection itself.
   */
  rebuild: Type.Optional(RebuildParameter),
  /** Deletes documents that the source no longer has, at the end of a complete run. Defaults to none. */
  sync: Type.Optional(
    Type.Object({
      /** Whether a run deletes the documents that it did not write: those with another run_id. */
      deleteMissing: Type.Boolean({ default: false }),
      /** If more than this percentage would be deleted, nothing is, and the run fails. */
      maxDeletePercent: Type.Number({ minimum: 0, maximum: 100, default: 20 }),
      /** The codes of notices of the class loss that the run may have, such as file.skipped. Defaults to none. */
      allowNotices: Type.Optional(Type.Array(Type.String())),
      /** A query for the documents of this source, if the collection has others: "shop:north". Defaults to all. */
      where: Type.Optional(Type.String()),
    }),
  ),
};

const schema = Type.Object(collectionParameters);

export type CollectionParameters = Static<typeof schema> & {
  readonly useCloudClient: boolean;
  readonly defaultCollection?: string;
};

/** Returns what a rebuild does. */
export function planOf({
  rebuild = withDefaults(RebuildParameter),
  defaultCollection = '',
}: CollectionParameters): RebuildPlan {
  const { alias = defaultCollection, keep, checks: { queries = [], ...checks } = {} } = rebuild;
  const saved = queries.map(({ query: asked, ...more }) => ({ ...more, query: jsonOf(asked) }));
  return { base: defaultCollection, alias, keep, checks: { ...checks, queries: saved } };
}

export function collectionOf({
  create = withDefaults(CreateParameter),
  useCloudClient,
}: CollectionParameters): CollectionDefinition {
  const { configSet, shards, replicas, fields = [], update } = create;
  const given = [...fields].map(([name, field]) => [name, jsonOf(field)] as const);
  return { isCloud: useCloudClient, configSet, shards, replicas, fields: given, update };
}
