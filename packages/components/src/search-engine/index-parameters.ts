import { MapOf, OneOf, READS, type Static, Type, WRITES } from '@headrace/engine';

/** What a saved query should find. */
export const savedQuery = {
  /** The name of the query in reports. Defaults to its position. */
  name: Type.Optional(Type.String()),
  /** The ids of the documents that belong at the top of the result. */
  expected: Type.Array(Type.String()),
  /** The lowest nDCG of the first ten hits, from 0 to 1: whether all expected documents are found, and how high. */
  minNdcg: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  /** The lowest reciprocal rank, from 0 to 1: 1 if an expected document is the first hit, 0.5 if it is the second. */
  minMrr: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
};

/** A saved query with the documents that it should find. */
const query = Type.Object({
  ...savedQuery,
  /** The query in the query language of the search engine: match { title: "summer shoes" }. */
  query: MapOf(Type.Unknown()),
});

/** The checks that all outputs have. */
export const outputChecks = {
  /** How many documents the new output must have. Without min, it must have at least one. */
  documents: Type.Optional(
    Type.Object({
      /** The lowest number. Defaults to 1. */
      min: Type.Optional(Type.Integer({ minimum: 0 })),
      /** The highest number. Defaults to no limit. */
      max: Type.Optional(Type.Integer({ minimum: 0 })),
      /** By how many percent the number may be lower than in the live output. */
      maxFewerPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      /** By how many percent the number may be higher than in the live output. */
      maxMorePercent: Type.Optional(Type.Number({ minimum: 0 })),
    }),
  ),
  /** How many documents of the run may fail. */
  maxFailed: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The codes of notices of the class loss that the run may have, such as file.skipped. Defaults to none. */
  allowNotices: Type.Optional(Type.Array(Type.String())),
  /** For each field, the lowest percentage of documents that must have it: title: 100. Put names with dots in quotes. */
  required: Type.Optional(MapOf(Type.Number({ minimum: 0, maximum: 100 }))),
};

/**
 * What happens if programs that are not runs of this process have written to the live output since the rebuild began:
 * fail, or report, which puts the new output into use without their changes. Defaults to fail.
 */
export const foreignWrites = OneOf(['fail', 'report'], { default: 'fail' });

const checks = Type.Object({
  ...outputChecks,
  /** Saved queries with the documents that they should find. */
  queries: Type.Optional(Type.Array(query)),
});

export const CreateParameter = Type.Object({
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
  /** Whether a run also changes what exists and differs. The search engine refuses some changes. */
  update: Type.Boolean({ default: false }),
});

export const RebuildParameter = Type.Object({
  /** The alias that searches use. Defaults to index. */
  alias: Type.Optional(Type.String()),
  /** How many older indices are kept. */
  keep: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
  /** What happens if other programs have written to the live output during the rebuild: fail or report. Defaults to fail. */
  foreignWrites,
  /** What the new index must fulfil before the alias moves: documents, maxFailed, allowNotices, required, queries. */
  checks: Type.Optional(checks),
});

/** The parameters of the indexers that create and replace indices. */
export const indexParameters = {
  /**
   * Whether the destination is a data stream, which only adds documents. Defaults to what the search engine says about
   * the name, or answers to the first document.
   */
  dataStream: Type.Optional(Type.Boolean()),
  /**
   * Creates what is missing before the first document: the index with settings and mappings (or mappingsFile, a JSON
   * file), templates (names and JSON files of index templates) and pipelines (names and JSON files of ingest pipelines).
   * What exists is not changed, unless update is true. Defaults to none.
   */
  create: Type.Optional(CreateParameter),
  /**
   * Writes each run to a new index, and moves alias to it if the run succeeded and all checks passed. keep is the number
   * of older indices that are kept for a rollback. Defaults to none: documents go to the index itself.
   */
  rebuild: Type.Optional(RebuildParameter),
  /**
   * Deletes documents that the source no longer has, at the end of a complete run: deleteMissing, maxDeletePercent and
   * where. Defaults to none.
   */
  sync: Type.Optional(
    Type.Object({
      /**
       * Whether a run deletes the documents that it did not write, if all its connectors succeeded, no document failed,
       * and no data of the source was lost.
       */
      deleteMissing: Type.Boolean({ default: false }),
      /** If more than this percentage would be deleted, nothing is, and the run fails. */
      maxDeletePercent: Type.Number({ minimum: 0, maximum: 100, default: 20 }),
      /** The codes of notices of the class loss that the run may have, such as file.skipped. Defaults to none. */
      allowNotices: Type.Optional(Type.Array(Type.String())),
      /**
       * The documents that come from this source, if the index has others: a query, such as term { source: shop }.
       * Defaults to all.
       */
      where: Type.Optional(MapOf(Type.Unknown())),
    }),
  ),
  /**
   * Whether documents are not sent again if their content is the same as in the previous run. hashesFile remembers the
   * contents.
   */
  skipUnchanged: Type.Boolean({ default: false }),
  /**
   * The SQLite file with a hash of each document that the index has, for skipUnchanged. Defaults to ./state/ and the name
   * of the index.
   */
  hashesFile: Type.Optional(Type.String(WRITES)),
};

const schema = Type.Object(indexParameters);

export type IndexParameters = Static<typeof schema> & { readonly index: string; readonly update: boolean };
