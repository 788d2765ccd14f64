import { type IndexerSettings, type ParameterProblem, type Static, Type } from '@headrace/engine';
import { BulkIndexer, type BulkParameters, checkBulk } from '../search-engine/bulk-indexer.ts';
import { connectionParameters } from '../search-engine/connection.ts';

const parameters = Type.Object({
  ...connectionParameters,
  update: Type.Optional(Type.Boolean({ default: false })),
  childDocumentsField: Type.Optional(Type.String()),
});

/**
 * Writes documents to an index of OpenSearch, in bulk requests.
 * <p>
 * <pre>
 * indexer { type: "OpenSearch", batchSize: 1000 }
 * opensearch { url: "https://localhost:9200", index: "articles" }
 * </pre>
 * <p>
 * All fields are sent but those that hold null, <code>id</code> and <code>run_id</code> included;
 * <code>indexer.whitelist</code> and <code>indexer.blacklist</code> choose others. The id in the index is that of the
 * document, or the value of <code>indexer.idOverrideField</code>; the index is the one below, or the value of
 * <code>indexer.indexOverrideField</code>; <code>indexer.routingField</code> names the field with the routing key.
 * <p>
 * Index names from data: <code>{field}</code> in <code>index</code> is the value of a field,
 * <code>{field:yyyy.MM.dd}</code> the date in a field (ISO text or milliseconds since 1970) in a pattern of Java, in UTC, and
 * <code>{now:yyyy.MM.dd}</code> the time of writing:
 * <p>
 * <pre>
 * opensearch { url: "http://localhost:9200", index: "logs-{date:yyyy.MM.dd}" }
 * </pre>
 * <p>
 * A document fails by itself when the field is missing, is not a date, or gives a name that no index can have. With a
 * default, <code>logs-{category|other}</code>, it goes there instead. A document that deletes needs the field, too. In
 * angle brackets, <code>&lt;logs-{now/d}&gt;</code>, the server computes the name.
 * <p>
 * What became of each document is read from the answer. What the search engine could not take just now (statuses 429,
 * 502, 503, 504, lost connections) is sent again, and only that, up to ten times, which is about three minutes, or when the
 * server says (Retry-After, up to a minute each time): <code>indexer.maxRetries</code> and its neighbours say otherwise. A
 * request that is too large is halved; while the search engine has too much to do requests are smaller. What is refused for
 * good fails by itself, with the reason. Versions of one document are written in the order in which they came.
 * <p>
 * Deleting: a document whose field <code>indexer.deletionMarkerField</code> holds
 * <code>indexer.deletionMarkerFieldValue</code> deletes the one with its id. If it also has the fields named by
 * <code>indexer.deleteByFieldField</code> and <code>indexer.deleteByFieldValue</code>, they hold a field and a value, and
 * every document with that value is deleted, as far as it was written before. That field must be mapped as a keyword
 * (or a number, a boolean, a date): of a text field the search engine knows only the words, so nothing is found and
 * nothing deleted:
 * <p>
 * <pre>
 * indexer { type: "OpenSearch", deletionMarkerField: "deleted", deletionMarkerFieldValue: "true", deleteByFieldField: "by", deleteByFieldValue: "value" }
 * </pre>
 * <p>
 * Versions: with <code>indexer.versionType: "External"</code> (or <code>"ExternalGte"</code>) and
 * <code>indexer.versionField</code> the search engine keeps the highest version of each document, whatever the order and
 * whatever is sent again. That a newer one is there is no failure.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>url (String, Required) : Where OpenSearch is, such as <code>https://localhost:9200</code>; several nodes with commas between them. A user and a password may stand in it, <code>https://user:password@host:9200</code>, special characters percent-encoded.</li>
 *   <li>index (String, Required) : The index to write to, an alias or a data stream; with placeholders, an index for each document.</li>
 *   <li>update (Boolean, Optional) : Whether documents change the fields that they have in a document that is there, and fail where there is none; otherwise they replace it. A field that holds null is not sent, so it cannot be cleared. Defaults to false.</li>
 *   <li>childDocumentsField (String, Optional) : The field in which children that are still attached to a document are nested, without their own children. Without it they are not sent.</li>
 *   <li>userName (String, Optional) : The user, instead of one in the URL; needs password.</li>
 *   <li>password (String, Optional) : The password; best taken from the environment or from a file of its own, see the page on configuration.</li>
 *   <li>apiKey (String, Optional) : An API key in its encoded form, instead of user and password: it is sent as <code>Authorization: ApiKey …</code>.</li>
 *   <li>bearerToken (String, Optional) : A token, instead of user and password: it is sent as <code>Authorization: Bearer …</code>.</li>
 *   <li>tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>useCompression (Boolean, Optional) : Whether requests and answers are compressed, which pays over slow networks. Defaults to false.</li>
 * </ul>
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
