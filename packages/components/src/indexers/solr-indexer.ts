import {
  type EncodedBatch,
  type FinishedDocuments,
  type FinishedOutput,
  HeadraceError,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  type ModuleReference,
  type ParameterProblem,
  type RebuildPass,
  type ReportProblem,
  type RunOutcome,
  type Static,
  Type,
  type WriterPass,
} from '@headrace/engine';
import {
  CollectionTarget,
  checkChecks,
  checkRunId,
  compareCollection,
  createCollection,
  deleteMissingFromCollection,
  IndexAdmin,
  Rebuild,
  ReindexError,
  rollBack,
  WatchedCollection,
} from '@headrace/reindexing';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import { serverPlace } from '../delivery/server-place.ts';
import { DEFAULT_RETRY } from '../http/retry.ts';
import { checkAllowedNotices } from '../search-engine/allowed-notices.ts';
import type { SearchEngine } from '../search-engine/search-engine.ts';
import {
  type CollectionParameters,
  collectionOf,
  collectionParameters,
  planOf,
} from '../solr/collection-parameters.ts';
import { reachSolr } from '../solr/reach-solr.ts';
import { SolrEncoder, type SolrEncoderOptions } from '../solr/solr-encoder.ts';
import { connectToSolr, splitCoreUrl } from '../solr/solr-nodes.ts';
import { checkSolrAccess, SolrUrls, solrParameters, solrUrls } from '../solr/solr-settings.ts';
import { SolrWriter } from '../solr/solr-writer.ts';

/** Why a run waits while its collection is rebuilt. */
const NOT_RECORDED = 'changes of a collection are not recorded for its rebuild';

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
 * create adds fields to the schema, rebuild writes each run to a new collection of a SolrCloud, and sync deletes what
 * the source no longer has: see the guide on reindexing.
 */
export class SolrIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'solr';
  static readonly type = 'Solr';
  override readonly deletesOldChildren = true;
  #engine: SearchEngine | undefined;
  #writer: SolrWriter | undefined;
  #rebuild: Rebuild | undefined;
  #isBuilding = false;
  #pass: WriterPass | RebuildPass | undefined;
  #admin: IndexAdmin | undefined;

  static override needsWholeRun({ rebuild, sync }: CollectionParameters): string | undefined {
    if (rebuild !== undefined) return 'rebuild';
    return sync?.deleteMissing === true ? 'sync' : undefined;
  }

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkAddress(params, settings);
    yield* checkSolrAccess(params, solrUrls({ url: params.url ?? [] }), '');
    yield* checkRebuild(params);
    yield* checkAllowedNotices(params);
    yield* checkRunId(params.sync, settings);
    for (const block of ['create', 'rebuild', 'sync'] as const) {
      if (params[block] === undefined || settings.indexOverrideField === undefined) continue;
      const message = `${block} needs one collection for all documents`;
      yield { parameter: block, message, hint: `Remove indexer.indexOverrideField, or remove ${block}.` };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'SolrIndexer', 'Solr has no such setting');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { whitelist, blacklist, idOverrideField, indexOverrideField } = settings;
    const collection = this.#collection;
    const options: SolrEncoderOptions = {
      whitelist,
      blacklist,
      ...deletionSettings(settings),
      marksNested: this.params.sync?.deleteMissing === true,
      ...(collection === undefined ? {} : { collection }),
      ...(idOverrideField === undefined ? {} : { idOverrideField }),
      ...(indexOverrideField === undefined ? {} : { indexOverrideField }),
    };
    return SolrEncoder.reference(options);
  }

  /** The collection or core that documents are written to: a new one, that of the alias, or that of the config. */
  get #collection(): string | undefined {
    const { useCloudClient, defaultCollection, url = [], rebuild } = this.params;
    if (!useCloudClient) return splitCoreUrl(solrUrls({ url })[0] ?? '').core;
    if (rebuild === undefined) return defaultCollection;
    const plan = planOf(this.params);
    // The failed documents of an earlier run belong in the collection that this run has put into use.
    if (this.context.retry === true) return plan.alias;
    const { runId, log } = this.context;
    this.#rebuild ??= new Rebuild({ plan, runId, log });
    return this.#rebuild.index;
  }

  /** The ZooKeeper of a SolrCloud, or the addresses of Solr without a core. */
  get #place(): string {
    const { useCloudClient, zkHosts = [], zkChroot = '' } = this.params;
    if (useCloudClient && zkHosts.length > 0) return `${serverPlace('ZooKeeper', zkHosts)}${zkChroot}`;
    const urls = solrUrls({ url: this.params.url ?? [] });
    return serverPlace('Solr', useCloudClient ? urls : urls.slice(0, 1).map((url) => splitCoreUrl(url).base));
  }

  #target(admin: IndexAdmin): CollectionTarget {
    return new CollectionTarget(admin, planOf(this.params), collectionOf(this.params), this.context.log);
  }

  /** Opens a client for requests that may be repeated. */
  async #openAdmin(): Promise<IndexAdmin> {
    return new IndexAdmin(await connectToSolr({ ...this.params, url: this.params.url ?? [] }, DEFAULT_RETRY));
  }

  override async reach(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const settings = { ...this.params, url: this.params.url ?? [] };
    const { useCloudClient, zkHosts = [], defaultCollection = '', create, rebuild } = settings;
    if (create !== undefined || rebuild !== undefined) {
      const admin = await this.#openAdmin();
      await this.#reachCollection(admin, report).finally(() => admin.close());
      return;
    }
    // ZooKeeper knows the nodes of a SolrCloud. Without a collection there is nothing more to check.
    if (!useCloudClient || (zkHosts.length === 0 && defaultCollection !== '')) return reachSolr(settings, signal);
    await (await connectToSolr(settings)).close();
  }

  /** Reports what differs from the block `create`, and an alias that cannot be moved. */
  async #reachCollection(admin: IndexAdmin, report: ReportProblem): Promise<void> {
    const { rebuild } = this.params;
    const { alias } = planOf(this.params);
    try {
      if (rebuild !== undefined) await this.#target(admin).requireAlias();
    } catch (error) {
      if (!(error instanceof ReindexError)) throw error;
      const parameter = rebuild?.alias === undefined ? 'defaultCollection' : 'rebuild.alias';
      return report({ parameter, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) });
    }
    const collection = rebuild === undefined ? (this.#collection ?? '') : alias;
    for (const problem of await compareCollection(admin, collection, collectionOf(this.params))) {
      report({ ...problem, parameter: ['create', ...problem.parameter], severity: 'warning' });
    }
  }

  override async connect(): Promise<void> {
    const collection = this.#collection ?? '';
    this.#engine = await connectToSolr({ ...this.params, url: this.params.url ?? [] });
    try {
      await this.#prepare(collection);
    } catch (error) {
      await this.#closeClients();
      throw error;
    }
    const { childrenField: field } = this.context.settings;
    const children = field === undefined ? undefined : { collection, field };
    const retries = retriesOf(this.context, `Solr at ${this.#engine.address}`);
    this.#writer = new SolrWriter(this.#engine, retries, children, () => this.#requireCollection());
  }

  /** Waits for other runs: what they write to a collection while it is rebuilt cannot be recorded. */
  override async begin(): Promise<void> {
    const { destinations, log, settings } = this.context;
    if (destinations === undefined) return;
    const place = this.#place;
    if (this.#rebuild === undefined) {
      const name = settings.indexOverrideField === undefined ? this.#collection : undefined;
      this.#pass = await destinations.write({ place, name }, NOT_RECORDED);
      return;
    }
    const target = this.#target(this.#admin as IndexAdmin);
    const pass = await destinations.rebuild(place, await target.names());
    this.#pass = pass;
    const { foreignWrites = 'fail' } = this.params.rebuild ?? {};
    const exclusively = <T>(work: () => Promise<T>) =>
      pass.exclusively(async () => ({ journal: undefined, result: await work() }));
    const close = () => pass.close();
    this.#rebuild.follow(await WatchedCollection.open({ target, foreignWrites, log, exclusively, close }));
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as SolrWriter).write(batch, signal);
  }

  /** Ends the run if somebody has deleted the new collection of a rebuild. */
  async #requireCollection(): Promise<void> {
    try {
      await this.#rebuild?.requireIndex((text) => new HeadraceError('HR_INDEXER_GONE', text));
    } catch (error) {
      // If the cluster cannot be asked, the documents are sent again as after any other failure.
      if (error instanceof HeadraceError) throw error;
    }
  }

  /** Creates what is missing, or the new collection of a rebuild. */
  async #prepare(collection: string): Promise<void> {
    const { create, rebuild } = this.params;
    if (create === undefined && rebuild === undefined) return;
    this.#admin = await this.#openAdmin();
    if (this.#rebuild !== undefined) await this.#rebuild.begin(this.#target(this.#admin));
    // A retry writes to the alias, which must exist.
    else if (rebuild === undefined)
      await createCollection(this.#admin, collection, collectionOf(this.params), this.context.log);
    this.#isBuilding = this.#rebuild !== undefined;
  }

  override async finish(done: FinishedDocuments, signal: AbortSignal): Promise<FinishedOutput> {
    if (this.#rebuild !== undefined) return this.#rebuild.finish(done, signal);
    const { deleteMissing = false, maxDeletePercent, allowNotices, where } = this.params.sync ?? {};
    const { runId, retry } = this.context;
    if (!deleteMissing || retry === true) return { checks: [] };
    // The engine calls `connect` first.
    const admin = new IndexAdmin(this.#engine as SearchEngine);
    const collection = this.#collection ?? '';
    const sync = { admin, collection, maxDeletePercent, allowNotices, where, runId, run: done, signal };
    return { checks: [await deleteMissingFromCollection(sync)] };
  }

  override async rollback(runId?: string): Promise<string> {
    if (this.params.rebuild === undefined) {
      throw new Error('The config has no block rebuild: there is no older collection');
    }
    const admin = await this.#openAdmin();
    return rollBack(this.#target(admin), planOf(this.params).alias, runId).finally(() => admin.close());
  }

  override async close({ failed, reason = '' }: RunOutcome = { failed: false }): Promise<void> {
    if (failed && this.#isBuilding) await this.#rebuild?.fail(reason);
    this.#pass?.close();
    await this.#closeClients();
  }

  async #closeClients(): Promise<void> {
    await this.#engine?.close();
    await this.#admin?.close();
  }
}

/** Reports mistakes in the block `rebuild`. */
function* checkRebuild({
  rebuild,
  sync,
  useCloudClient,
  defaultCollection,
}: CollectionParameters): Generator<ParameterProblem> {
  if (rebuild === undefined) return;
  if (!useCloudClient) {
    yield {
      parameter: 'rebuild',
      message: 'rebuild needs a SolrCloud: a standalone Solr has no aliases',
      hint: 'Set useCloudClient and defaultCollection if the server is a SolrCloud, or use sync instead of rebuild.',
    };
  } else if (defaultCollection === undefined) {
    const hint = 'Set it. The names of the new collections begin with it.';
    yield { parameter: 'rebuild', message: 'rebuild needs defaultCollection', hint };
  }
  if (sync?.deleteMissing === true) {
    const message = 'a rebuild already omits what the source no longer has';
    yield { parameter: 'sync.deleteMissing', message, hint: 'Remove sync.' };
  }
  yield* checkChecks(rebuild.checks ?? {});
}

function* checkAddress(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
  const urls = solrUrls({ url: params.url ?? [] });
  const { useCloudClient, zkHosts = [], defaultCollection } = params;
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
