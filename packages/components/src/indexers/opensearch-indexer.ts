import { type IndexerSettings, type ParameterProblem, type Static, Type } from '@headrace/engine';
import { BulkIndexer, type BulkParameters, checkBulk } from '../search-engine/bulk-indexer.ts';
import { connectionParameters } from '../search-engine/connection.ts';
import { indexParameters } from '../search-engine/index-parameters.ts';

const parameters = Type.Object({
  ...connectionParameters,
  /**
   * Whether a document changes only its fields in an existing document, and fails if there is none. Otherwise it
   * replaces the existing document. A field with null is not sent, so it cannot be cleared.
   */
  update: Type.Boolean({ default: false }),
  /**
   * The field for the attached children of a document, as nested objects, without their own children. Defaults to none:
   * they are not sent.
   */
  childDocumentsField: Type.Optional(Type.String()),
  ...indexParameters,
});

/**
 * Writes documents to an index of OpenSearch, in bulk requests.
 *
 *     indexer { type: "OpenSearch", batchSize: 1000 }
 *     opensearch { url: "https://localhost:9200", index: "articles" }
 *
 * All fields are sent except those with null, including id and run_id. indexer.whitelist and indexer.blacklist select
 * others. The id in the index is the id of the document, or the value of indexer.idOverrideField. The index is the one
 * below, or the value of indexer.indexOverrideField. indexer.routingField names the field with the routing key.
 *
 * Index names can contain values: {field} in index is replaced by the value of a field, {field:yyyy.MM.dd} by the date
 * in a field (ISO text or milliseconds since 1970) in a Java pattern, in UTC, and {now:yyyy.MM.dd} by the time of
 * writing:
 *
 *     opensearch { url: "http://localhost:9200", index: "logs-{date:yyyy.MM.dd}" }
 *
 * A document fails alone if the field is missing, is not a date, or makes a name that no index can have. With a
 * default, logs-{category|other}, it is written there instead. A document that deletes needs the field too. In angle
 * brackets, <logs-{now/d}>, the server computes the name.
 *
 * The answer shows the result of each document. Only documents that failed temporarily (statuses 429, 502, 503, 504,
 * lost connections) are sent again, up to ten times, which takes about three minutes, or when the server says
 * (Retry-After, up to a minute each time). indexer.maxRetries and related settings change this. A request that is too
 * large is halved. While the search engine is overloaded, requests are smaller. A document that is refused permanently
 * fails alone, with the reason. Versions of one document are written in order.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * document deletes the one with its id. If it also has the fields named by indexer.deleteByFieldField and
 * indexer.deleteByFieldValue, these contain a field and a value, and every document with that value is deleted, if it
 * was written before. That field must be mapped as a keyword (or a number, a boolean, a date). For a text field, the
 * search engine knows only the words, so nothing is found and nothing is deleted:
 *
 *     indexer { type: "OpenSearch", deletionMarkerField: "deleted", deletionMarkerFieldValue: "true", deleteByFieldField: "by", deleteByFieldValue: "value" }
 *
 * Versions: with indexer.versionType: "External" (or "ExternalGte") and indexer.versionField, the search engine keeps
 * the highest version of each document, in any order and after any retry. A newer version in the index is no failure.
 *
 * Data streams: a name that is a data stream, or for which an index template makes one, only gets new documents, each
 * with a time in the field @timestamp. A document whose id it already has counts as unchanged. See the guide on
 * reindexing.
 *
 * With create, a run creates the index, and with rebuild each run writes to a new index and moves an alias to it at the
 * end: see the guide on reindexing.
 */
export class OpenSearchIndexer extends BulkIndexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'opensearch';
  static readonly type = 'OpenSearch';
  protected override readonly product = { items: 'OpenSearch', requests: 'OpenSearch' };

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkBulk('opensearch', params, settings);
    if (settings.versionField !== undefined && settings.versionType === undefined) {
      yield {
        block: 'indexer',
        parameter: 'versionField',
        message: 'indexer.versionField requires indexer.versionType to be set.',
        hint: 'Add versionType: "External" or "ExternalGte".',
      };
    }
  }

  protected override get bulk(): BulkParameters {
    return this.params;
  }
}
