import {
  type EncodedBatch,
  type FinishedDocuments,
  type FinishedOutput,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  type ModuleReference,
  type ParameterProblem,
  type ReportProblem,
  type Static,
  Type,
} from '@headrace/engine';
import { compareCollection, createCollection, deleteMissingFromCollection, IndexAdmin } from '@headrace/reindexing';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import type { SearchEngine } from '../search-engine/search-engine.ts';
import { type CollectionParameters, collectionOf, collectionParameters } from '../solr/collection-parameters.ts';
import { reachSolr } from '../solr/reach-solr.ts';
import { SolrEncoder, type SolrEncoderOptions } from '../solr/solr-encoder.ts';
import { connectToSolr, splitCoreUrl } from '../solr/solr-nodes.ts';
import { checkSolrAccess, SolrUrls, solrParameters, solrUrls } from '../solr/solr-settings.ts';
import { SolrWriter } from '../solr/solr-writer.ts';

const parameters = Type.Object({
  /**
   * One URL or several. Standalone Solr uses the first, with the name of the core. For a SolrCloud, URLs of nodes
   * without a collection. Required unless zkHosts is given.
   */
  url: Type.Optional(SolrUrls),
  ...solrParameters,
  ...collectionParameters,
});

/**
 * Writes documents to a core or a collection of Solr.
 *
 *     indexer { type: "Solr", batchSize: 1000 }
 *     solr { url: "http://localhost:8983/solr/articles" }
 *
 * A SolrCloud is reached by the URLs of some nodes or by its ZooKeeper. The collection is named separately:
 *
 *     solr { useCloudClient: true, url: ["http://solr1:8983/solr", "http://solr2:8983/solr"], defaultCollection: "articles" }
 *
 *     solr { useCloudClient: true, zkHosts: ["zk1:2181", "zk2:2181"], zkChroot: "/solr", defaultCollection: "articles" }
 *
 * All fields are sent, including id and run_id. indexer.whitelist and indexer.blacklist select others. A list is a
 * field with several values. A field with an object fails its document. Attached children become nested documents,
 * without their own children. The id in the index is the id of the document, or the value of indexer.idOverrideField.
 * The collection is the one above, or the value of indexer.indexOverrideField, which is not sent.
 *
 * The indexer commits nothing: automatic commits of the server make documents visible.
 *
 * If Solr refuses a request because of one document (400, 409, 500), the indexer finds this document, which fails
 * alone, with Solr's reason. Requests that failed temporarily (statuses 429, 502, 503, 504, lost connections) are sent
 * again, up to ten times, which takes about three minutes, or when the server says (Retry-After, up to a minute each
 * time). indexer.maxRetries and related settings change this. Commands run in the order of the documents.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * document deletes the one with its id. If it also has the fields named by indexer.deleteByFieldField and
 * indexer.deleteByFieldValue, these contain a field and a value, and every document with that value is deleted, if it
 * was written before.
 *
 * create adds fields to the schema, and sync deletes what the source no longer has: see the guide on reindexing.
 */
export class SolrIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'solr';
  static readonly type = 'Solr';
  override readonly deletesOldChildren = true;
  #engine: SearchEngine | undefined;
  #writer: SolrWriter | undefined;

  static override needsWholeRun({ sync }: CollectionParameters): string | undefined {
    return sync?.deleteMissing === true ? 'sync' : undefined;
  }

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkAddress(params, settings);
    yield* checkSolrAccess(params, solrUrls({ url: params.url ?? [] }), '');
    for (const block of ['create', 'sync'] as const) {
      if (params[block] === undefined || settings.indexOverrideField === undefined) continue;
      const message = `${block} needs one collection for all documents`;
      yield { parameter: block, message, hint: `Remove indexer.indexOverrideField, or remove ${block}.` };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'SolrIndexer', 'Solr has no such setting');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { whitelist = [], blacklist = [], idOverrideField, indexOverrideField } = settings;
    const collection = this.#collection;
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

  get #collection(): string | undefined {
    const { useCloudClient, defaultCollection, url = [] } = this.params;
    return useCloudClient ? defaultCollection : splitCoreUrl(solrUrls({ url })[0] ?? '').core;
  }

  override async reach(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const settings = { ...this.params, url: this.params.url ?? [] };
    const { useCloudClient = false, zkHosts = [], defaultCollection = '', create } = settings;
    if (create !== undefined) {
      const admin = new IndexAdmin(await connectToSolr(settings));
      const compared = compareCollection(admin, this.#collection ?? '', collectionOf(this.params));
      for (const problem of await compared.finally(() => admin.close())) {
        report({ ...problem, parameter: ['create', ...problem.parameter], severity: 'warning' });
      }
      return;
    }
    // ZooKeeper knows the nodes of a SolrCloud. Without a collection there is nothing more to check.
    if (!useCloudClient || (zkHosts.length === 0 && defaultCollection !== '')) return reachSolr(settings, signal);
    await (await connectToSolr(settings)).close();
  }

  override async connect(): Promise<void> {
    this.#engine = await connectToSolr({ ...this.params, url: this.params.url ?? [] });
    const collection = this.#collection ?? '';
    if (this.params.create !== undefined) {
      const created = createCollection(
        new IndexAdmin(this.#engine),
        collection,
        collectionOf(this.params),
        this.context.log,
      );
      await created.catch(async (error: unknown) => {
        await this.#engine?.close();
        throw error;
      });
    }
    const { childrenField: field } = this.context.settings;
    const children = field === undefined ? undefined : { collection, field };
    const retries = retriesOf(this.context, `Solr at ${this.#engine.address}`);
    this.#writer = new SolrWriter(this.#engine, retries, children);
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as SolrWriter).write(batch, signal);
  }

  override async finish({ failed }: FinishedDocuments, signal: AbortSignal): Promise<FinishedOutput> {
    const { deleteMissing = false, maxDeletePercent, where } = this.params.sync ?? {};
    const { runId, retry } = this.context;
    if (!deleteMissing || retry === true) return { checks: [] };
    // The engine calls `connect` first.
    const admin = new IndexAdmin(this.#engine as SearchEngine);
    const collection = this.#collection ?? '';
    const run = { admin, collection, maxDeletePercent, where, runId, failed, signal };
    return { checks: [await deleteMissingFromCollection(run)] };
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
      const hint = 'Use http://localhost:8983/solr/articles, or for a SolrCloud http://localhost:8983/solr.';
      yield { parameter: 'url', message: 'url must be an http or https URL', hint };
    } else if (!useCloudClient && /^\/*(solr\/*)?$/.test(parsed.pathname)) {
      const hint = 'Write a URL such as http://localhost:8983/solr/articles. For a SolrCloud, set useCloudClient.';
      yield { parameter: 'url', message: 'url does not name the core', hint };
    }
  }
  if (!useCloudClient) {
    if (urls.length === 0) {
      const hint = 'Add the URL of a core, such as url: "http://localhost:8983/solr/articles".';
      yield { parameter: 'url', message: 'Config is missing required property url', hint };
    } else if (urls.length > 1) {
      const message = 'Only the first URL is used: a standalone Solr has one';
      yield { parameter: 'url', message, hint: 'For a SolrCloud, set useCloudClient.', severity: 'warning' };
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
