import { COERCED, type IndexerSettings, MapOf, type ParameterProblem, type Static, Type } from '@headrace/engine';
import type { JoinSettings } from '../search-engine/bulk-encoder.ts';
import { BulkIndexer, type BulkParameters, checkBulk } from '../search-engine/bulk-indexer.ts';
import { connectionParameters } from '../search-engine/connection.ts';

const parameters = Type.Object({
  ...connectionParameters,
  /**
   * Whether documents change the fields that they have in a document that is there, and fail where there is none;
   * otherwise they replace it. A field that holds null is not sent, so it cannot be cleared. Defaults to false.
   */
  update: Type.Optional(Type.Boolean({ default: false })),
  /**
   * The field in which children that are still attached to a document are nested, without their own children. Without
   * it they are not sent.
   */
  childDocumentsField: Type.Optional(Type.String()),
  /** Accepted for the sake of older configs; it has no effect. */
  parentName: Type.Optional(Type.String()),
  /**
   * How documents are joined: joinFieldName, the field of the type join; for parents parentName, the name of their side
   * of the relation; for children isChild: true, childName and parentDocumentIdSource, the field with the id of the
   * parent, by which they are routed unless indexer.routingField says otherwise. A document that has the field already
   * fails.
   */
  join: Type.Optional(MapOf(Type.String(), COERCED)),
});

/**
 * Writes documents to an index of Elasticsearch (7, 8 or 9), in bulk requests.
 *
 *     indexer { type: "Elasticsearch", batchSize: 1000 }
 *     elasticsearch { url: "https://localhost:9200", index: "articles" }
 *
 * All fields are sent but those that hold null, id and run_id included; indexer.whitelist and indexer.blacklist choose
 * others. The id in the index is that of the document, or the value of indexer.idOverrideField; the index is the one
 * below, or the value of indexer.indexOverrideField; indexer.routingField names the field with the routing key.
 *
 * Index names from data: {field} in index is the value of a field, {field:yyyy.MM.dd} the date in a field (ISO text or
 * milliseconds since 1970) in a pattern of Java, in UTC, and {now:yyyy.MM.dd} the time of writing:
 *
 *     elasticsearch { url: "http://localhost:9200", index: "logs-{date:yyyy.MM.dd}" }
 *
 * A document fails by itself when the field is missing, is not a date, or gives a name that no index can have. With a
 * default, logs-{category|other}, it goes there instead. A document that deletes needs the field, too. In angle
 * brackets, <logs-{now/d}>, the server computes the name.
 *
 * What became of each document is read from the answer. What the search engine could not take just now (statuses 429,
 * 502, 503, 504, lost connections) is sent again, and only that, up to ten times, which is about three minutes, or when
 * the server says (Retry-After, up to a minute each time): indexer.maxRetries and its neighbours say otherwise. A
 * request that is too large is halved; while the search engine has too much to do requests are smaller. What is refused
 * for good fails by itself, with the reason. Versions of one document are written in the order in which they came.
 *
 * Deleting: a document whose field indexer.deletionMarkerField holds indexer.deletionMarkerFieldValue deletes the one
 * with its id. If it also has the fields named by indexer.deleteByFieldField and indexer.deleteByFieldValue, they hold
 * a field and a value, and every document with that value is deleted, as far as it was written before. That field must
 * be mapped as a keyword (or a number, a boolean, a date): of a text field the search engine knows only the words, so
 * nothing is found and nothing deleted.
 *
 * Versions: with indexer.versionType: "External" (or "ExternalGte") and indexer.versionField the search engine keeps
 * the highest version of each document, whatever the order and whatever is sent again. That a newer one is there is no
 * failure.
 *
 * Joins: where the mapping has a field of the type join, join fills it. Parents and children are written by configs of
 * their own:
 *
 *     elasticsearch { url: "http://localhost:9200", index: "forum", join { joinFieldName: "relation", parentName: "question" } }
 *
 *     elasticsearch { url: "http://localhost:9200", index: "forum", join { joinFieldName: "relation", isChild: true, childName: "answer", parentDocumentIdSource: "question_id" } }
 */
export class ElasticsearchIndexer extends BulkIndexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'elasticsearch';
  static readonly type = 'Elasticsearch';
  protected override readonly product = { items: 'Elasticsearch', requests: 'ElasticSearch' };

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkBulk('elasticsearch', params, settings);
    if (settings.versionField !== undefined && settings.versionType === undefined) {
      yield {
        block: 'indexer',
        parameter: 'versionField',
        message: 'indexer.versionField has no effect without indexer.versionType',
        hint: 'Add versionType: "External" or "ExternalGte".',
        severity: 'warning',
      };
    }
    if (params.join !== undefined) yield* checkJoin(params.join);
  }

  protected override get bulk(): BulkParameters {
    return this.params;
  }

  protected override joinSettings(): JoinSettings | undefined {
    const { join } = this.params;
    const field = join?.get('joinFieldName');
    if (join === undefined || field === undefined) return undefined;
    if (join.get('isChild') !== 'true') return { field, name: join.get('parentName') ?? '' };
    return { field, name: join.get('childName') ?? '', parentIdField: join.get('parentDocumentIdSource') ?? '' };
  }
}

const JOIN_KEYS = ['joinFieldName', 'isChild', 'parentName', 'childName', 'parentDocumentIdSource'];

function* checkJoin(join: ReadonlyMap<string, string>): Generator<ParameterProblem> {
  for (const key of join.keys()) {
    if (JOIN_KEYS.includes(key)) continue;
    const hint = `Known are: ${JOIN_KEYS.join(', ')}.`;
    yield { parameter: ['join', key], message: `Config contains unknown property ${key}`, hint };
  }
  const isChild = join.get('isChild');
  if (isChild !== undefined && isChild !== 'true' && isChild !== 'false') {
    yield { parameter: ['join', 'isChild'], message: `isChild must be true or false, was "${isChild}"` };
  }
  const needed = isChild === 'true' ? ['childName', 'parentDocumentIdSource'] : ['parentName'];
  for (const key of ['joinFieldName', ...needed]) {
    if ((join.get(key) ?? '') !== '') continue;
    const role = isChild === 'true' ? 'children' : 'parents';
    yield { parameter: 'join', message: `join of ${role} is missing required property ${key}` };
  }
}
