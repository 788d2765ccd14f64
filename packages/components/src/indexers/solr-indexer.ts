import {
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  type ParameterProblem,
  type Static,
  Type,
} from '@headrace/engine';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import type { SearchEngine } from '../search-engine/search-engine.ts';
import { reachSolr } from '../solr/reach-solr.ts';
import { SolrEncoder, type SolrEncoderOptions } from '../solr/solr-encoder.ts';
import { connectToSolr, splitCoreUrl } from '../solr/solr-nodes.ts';
import { checkSolrAccess, SolrUrls, solrParameters, solrUrls } from '../solr/solr-settings.ts';
import { SolrWriter } from '../solr/solr-writer.ts';
import { ignoredSettings } from './ignored-settings.ts';

const parameters = Type.Object({ url: Type.Optional(SolrUrls), ...solrParameters });

/**
 * Writes documents to a core or a collection of Solr.
 * <p>
 * <pre>
 * indexer { type: "Solr", batchSize: 1000 }
 * solr { url: "http://localhost:8983/solr/articles" }
 * </pre>
 * <p>
 * A cloud is reached by the URLs of some of its nodes, or by its ZooKeeper; the collection is named apart:
 * <p>
 * <pre>
 * solr { useCloudClient: true, url: ["http://solr1:8983/solr", "http://solr2:8983/solr"], defaultCollection: "articles" }
 * </pre>
 * <p>
 * <pre>
 * solr { useCloudClient: true, zkHosts: ["zk1:2181", "zk2:2181"], zkChroot: "/solr", defaultCollection: "articles" }
 * </pre>
 * <p>
 * All fields are sent, <code>id</code> and <code>run_id</code> included; <code>indexer.whitelist</code> and
 * <code>indexer.blacklist</code> choose others. A list is a field with several values; a field that holds an object
 * makes its document fail. Children that are still attached to a document become its nested documents, without their own
 * children. The id in the index is that of the document, or the value of <code>indexer.idOverrideField</code>; the
 * collection is the one above, or the value of <code>indexer.indexOverrideField</code>, which is not sent.
 * <p>
 * Nothing is committed: when documents can be found is up to the server's automatic commits.
 * <p>
 * Where Solr refuses a request because of one document (400, 409, 500), that document is searched for and fails by itself,
 * with Solr's reason. What Solr could not take just now (statuses 429, 502, 503, 504, lost connections) is sent again, up to ten times, which
 * is about three minutes, or when the server says (Retry-After, up to a minute each time): <code>indexer.maxRetries</code> and its neighbours say otherwise. Commands are carried out in the
 * order of the documents.
 * <p>
 * Deleting: a document whose field <code>indexer.deletionMarkerField</code> holds
 * <code>indexer.deletionMarkerFieldValue</code> deletes the one with its id. If it also has the fields named by
 * <code>indexer.deleteByFieldField</code> and <code>indexer.deleteByFieldValue</code>, they hold a field and a value, and
 * every document with that value is deleted, as far as it was written before.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>url (List&lt;String&gt;, Optional) : One URL or several. Standalone the first counts, the name of the core included; of a cloud those of nodes, without a collection. Required unless zkHosts is given.</li>
 *   <li>useCloudClient (Boolean, Optional) : Whether this is a SolrCloud. Defaults to false.</li>
 *   <li>defaultCollection (String, Optional) : Of a cloud the collection for documents that name no other.</li>
 *   <li>zkHosts (List&lt;String&gt;, Optional) : The ZooKeeper of a cloud, as <code>host:port</code>. It wins over url.</li>
 *   <li>zkChroot (String, Optional) : The path in ZooKeeper below which Solr keeps its state. Defaults to the root.</li>
 *   <li>userName (String, Optional) : The user for basic authentication; needs password.</li>
 *   <li>password (String, Optional) : The password; best taken from the environment, <code>${SOLR_PASSWORD}</code>.</li>
 *   <li>bearerToken (String, Optional) : A token, instead of user and password: it is sent as <code>Authorization: Bearer …</code>.</li>
 *   <li>tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>javax.net.ssl.keyStore (String, Optional) : A PEM file with the certificate of the client and its key. Stores of Java cannot be read; <code>openssl pkcs12 -in store.p12 -out store.pem</code> converts one.</li>
 *   <li>javax.net.ssl.keyStorePassword (String, Optional) : The password of the key in it.</li>
 *   <li>javax.net.ssl.trustStore (String, Optional) : A PEM file with certificates of authorities to trust besides those of the system.</li>
 *   <li>javax.net.ssl.trustStorePassword (String, Optional) : Accepted for the sake of older configs; PEM files of authorities have none.</li>
 * </ul>
 */
export class SolrIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'solr';
  static readonly type = 'Solr';
  #engine: SearchEngine | undefined;
  #writer: SolrWriter | undefined;

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkAddress(params, settings);
    yield* checkSolrAccess(params, solrUrls({ url: params.url ?? [] }), '');
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'SolrIndexer', 'Solr has no such thing');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { whitelist = [], blacklist = [], idOverrideField, indexOverrideField } = settings;
    const collection = this.params.useCloudClient
      ? this.params.defaultCollection
      : splitCoreUrl(solrUrls({ url: this.params.url ?? [] })[0] ?? '').core;
    const options: SolrEncoderOptions = {
      whitelist,
      blacklist,
      ...deletionSettings(settings),
      ...(collection === undefined ? {} : { collection }),
      ...(idOverrideField === undefined ? {} : { idOverrideField }),
      ...(indexOverrideField === undefined ? {} : { indexOverrideField }),
    };
    return SolrEncoder.reference(options);
  }

  override async reach(_report: unknown, signal: AbortSignal): Promise<void> {
    const settings = { ...this.params, url: this.params.url ?? [] };
    const { useCloudClient = false, zkHosts = [], defaultCollection = '' } = settings;
    // Of a cloud ZooKeeper knows the nodes, and without a collection there is none to look for.
    if (!useCloudClient || (zkHosts.length === 0 && defaultCollection !== '')) return reachSolr(settings, signal);
    await (await connectToSolr(settings)).close();
  }

  override async connect(): Promise<void> {
    this.#engine = await connectToSolr({ ...this.params, url: this.params.url ?? [] });
    this.#writer = new SolrWriter(this.#engine, retriesOf(this.context, `Solr at ${this.#engine.address}`));
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine has called `connect`.
    return (this.#writer as SolrWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#engine?.close();
  }
}

function* checkAddress(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
  const urls = solrUrls({ url: params.url ?? [] });
  const { useCloudClient = false, zkHosts = [], defaultCollection } = params;
  for (const url of urls) {
    const parsed = URL.parse(url);
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
      const hint = 'As http://localhost:8983/solr/articles, or of a cloud http://localhost:8983/solr.';
      yield { parameter: 'url', message: 'url must be a URL of http or https', hint };
    } else if (!useCloudClient && /^\/*(solr\/*)?$/.test(parsed.pathname)) {
      const hint = 'As http://localhost:8983/solr/articles. For a SolrCloud set useCloudClient.';
      yield { parameter: 'url', message: 'url does not name the core', hint };
    }
  }
  if (!useCloudClient) {
    if (urls.length === 0) {
      const hint = 'As url: "http://localhost:8983/solr/articles".';
      yield { parameter: 'url', message: 'Config is missing required property url', hint };
    } else if (urls.length > 1) {
      const message = 'Only the first URL is used: a standalone Solr has one';
      yield { parameter: 'url', message, hint: 'For a SolrCloud set useCloudClient.', severity: 'warning' };
    }
    return;
  }
  if (urls.length === 0 && zkHosts.length === 0) {
    yield { parameter: 'useCloudClient', message: 'A SolrCloud needs url or zkHosts' };
  }
  if (defaultCollection === undefined && settings.indexOverrideField === undefined) {
    yield {
      parameter: 'useCloudClient',
      message: 'A SolrCloud needs defaultCollection, or indexer.indexOverrideField',
      hint: 'Add defaultCollection.',
    };
  }
}
