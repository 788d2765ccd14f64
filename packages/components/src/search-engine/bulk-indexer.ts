import {
  type DestinationAccess,
  type EncodedBatch,
  type FinishedDocuments,
  type FinishedOutput,
  HeadraceError,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  type ParameterProblem,
  type ReportProblem,
  type RunOutcome,
  type TObject,
  type TouchedFile,
  type WriterPass,
} from '@headrace/engine';
import {
  aliasOf,
  checkReindexing,
  createDefinitions,
  createIndex,
  deleteMissing,
  type IndexAdmin,
  type IndexHashes,
  IndexTarget,
  Rebuild,
  ReindexError,
  rollBack,
  writeNameOf,
} from '@headrace/reindexing';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import { serverPlace } from '../delivery/server-place.ts';
import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY, WRITE_ANSWER_MS } from '../http/retry.ts';
import type { ServerAccess } from '../http/server-access.ts';
import { checkAllowedNotices } from './allowed-notices.ts';
import { BulkEncoder, type BulkEncoderOptions, type JoinSettings } from './bulk-encoder.ts';
import type { ProductName } from './bulk-reply.ts';
import { BulkWriter, type BulkWriterOptions, type StreamOptions } from './bulk-writer.ts';
import { baseUrls, checkConnection } from './connection.ts';
import { dataStreamConflicts, documentConflicts } from './data-stream-conflicts.ts';
import { DataStreams, type IndexTemplate } from './data-streams.ts';
import { HashingBulkEncoder } from './hashing-bulk-encoder.ts';
import { whyAlone } from './index-destination.ts';
import { hashesFileOf, openHashes } from './index-hashes.ts';
import { definitionOf, jsonOf, openAdmin, planOf, reachDefinition, withAdmin } from './index-lifecycle.ts';
import { checkIndexName, isFixedName, isIndexTemplate, isNameOfIndex } from './index-name.ts';
import type { IndexParameters } from './index-parameters.ts';
import { reachIndex } from './reach-index.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';
import { WriteRecorder } from './write-recorder.ts';

/** Three requests keep a search engine busy while a response is on its way; more would only fill its queue. */
const IN_FLIGHT = 3;
/** Batches with few changed documents, which are sent together. */
const MANY_IN_FLIGHT = 64;

/** The time-out for a delete by query: its response comes after all documents have been deleted. */
const PATIENCE_MS = 60 * 60_000;

/** The parameters of both products. */
export interface BulkParameters
  extends ServerAccess,
    Pick<SearchEngineSettings, 'url' | 'useCompression'>,
    IndexParameters {
  readonly childDocumentsField?: string;
  readonly join?: unknown;
}

/** The base class of the indexers for OpenSearch and Elasticsearch. */
export abstract class BulkIndexer<P extends TObject> extends Indexer<P> {
  override maxInFlight = IN_FLIGHT;
  override readonly deletesOldChildren = true;
  #engine: SearchEngine | undefined;
  #patientEngine: SearchEngine | undefined;
  #writer: BulkWriter | undefined;
  #recorder: WriteRecorder | undefined;
  #pass: WriterPass | undefined;
  #admin: IndexAdmin | undefined;
  #rebuild: Rebuild | undefined;
  #target: IndexTarget | undefined;
  #isBuilding = false;
  #streams: StreamOptions | undefined;
  #hashes: IndexHashes | undefined;

  static override needsWholeRun({ rebuild, sync }: IndexParameters): string | undefined {
    if (rebuild !== undefined) return 'rebuild';
    return sync?.deleteMissing === true ? 'sync' : undefined;
  }

  static *touches(params: IndexParameters): Generator<TouchedFile> {
    if (params.skipUnchanged !== true || params.hashesFile !== undefined) return;
    yield { parameter: 'skipUnchanged', access: 'write', path: hashesFileOf(params), verb: 'keep hashes in' };
  }

  protected abstract readonly product: ProductName;

  /** The parameters that both products share. */
  protected abstract get bulk(): BulkParameters;

  protected joinSettings(): JoinSettings | undefined {
    return undefined;
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { update, childDocumentsField } = this.bulk;
    const { whitelist, blacklist, idOverrideField, indexOverrideField, routingField } = settings;
    const version = versionOf(settings);
    const join = this.joinSettings();
    const options: BulkEncoderOptions = {
      index: this.#writeName,
      update,
      whitelist,
      blacklist,
      ...deletionSettings(settings),
      ...(idOverrideField === undefined ? {} : { idOverrideField }),
      ...(indexOverrideField === undefined ? {} : { indexOverrideField }),
      ...(routingField === undefined ? {} : { routingField }),
      ...(version === undefined ? {} : { version }),
      ...(childDocumentsField === undefined ? {} : { childDocumentsField }),
      ...(join === undefined ? {} : { join }),
    };
    if (this.bulk.skipUnchanged !== true) return BulkEncoder.reference(options);
    return HashingBulkEncoder.reference(options);
  }

  /** The only name that documents are written to. Undefined if it depends on the documents or the time. */
  get #fixedName(): string | undefined {
    const name = this.#writeName;
    const isFixed = this.context.settings.indexOverrideField === undefined && !isIndexTemplate(name);
    return isFixed && !name.startsWith('<') ? name : undefined;
  }

  /** The name that documents are written to: that of a new index, of the alias, or `index`. */
  get #writeName(): string {
    const { rebuild, index } = this.bulk;
    if (rebuild === undefined) return index;
    // The failed documents of an earlier run belong in the index that this run has put into use.
    if (this.context.retry === true) return aliasOf(this.bulk);
    const { runId, log } = this.context;
    this.#rebuild ??= new Rebuild({ plan: planOf(this.bulk), runId, log });
    return writeNameOf(this.#rebuild.index);
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { create, rebuild } = this.bulk;
    const isMade = create !== undefined || rebuild !== undefined;
    const parameter = rebuild?.alias === undefined ? 'index' : 'rebuild.alias';
    let isStream = false;
    if (rebuild === undefined && !this.#namesIndex) isStream = await this.#reachStream(report);
    // If the run creates the index, a missing index is no problem.
    const reportMissing: ReportProblem = (problem) => {
      if ((!isMade && !isStream) || problem.severity !== 'warning') report(problem);
    };
    await reachIndex(this.bulk, { index: aliasOf(this.bulk), parameter, isMadeByWriting: true }, reportMissing);
    if (isMade) await reachDefinition(this.bulk, !isStream && isFixedName(aliasOf(this.bulk)), report);
  }

  /** Reports settings that do not fit a data stream. Returns whether the destination is one. */
  async #reachStream(report: ReportProblem): Promise<boolean> {
    const { dataStream, index } = this.bulk;
    if (dataStream === false) return false;
    const { named } = await definitionOf(this.bulk);
    const templates = named.filter(({ kind }) => kind === 'templates').map(({ body }) => body as IndexTemplate);
    const engine = await SearchEngine.open({ ...this.bulk, retry: NO_RETRY });
    try {
      const exists = await new DataStreams({ engine, templates }).exists(index);
      if (dataStream === true && exists === false) report({ parameter: 'index', ...noStream(index) });
      // The conflicts with dataStream: true are reported without the server.
      if (exists !== true || dataStream === true) return exists === true;
    } finally {
      await engine.close();
    }
    for (const problem of dataStreamConflicts(this.bulk, this.context.settings)) {
      report({ ...problem, message: `${index} is a data stream. ${problem.message}` });
    }
    return true;
  }

  override async connect(): Promise<void> {
    const settings = { ...this.bulk, retry: NO_RETRY };
    this.#engine = await SearchEngine.open({
      ...settings,
      connections: IN_FLIGHT,
      answerTimeout: WRITE_ANSWER_MS,
    });
    this.#patientEngine = await SearchEngine.open({ ...settings, connections: 1, answerTimeout: PATIENCE_MS });
    // Makes the rebuild, whose index the encoder has named.
    void this.#writeName;
    try {
      await this.#engine.ping();
      await this.#prepare();
    } catch (error) {
      await this.#closeClients();
      throw error;
    }
  }

  override async begin(): Promise<void> {
    const { destinations, log } = this.context;
    if (destinations !== undefined) {
      const place = serverPlace('search engine', baseUrls(this.bulk.url));
      if (this.#rebuild !== undefined) await this.#follow(this.#rebuild, destinations, place);
      else {
        const name = this.#fixedName;
        const alone = whyAlone(this.bulk, this.context.settings);
        this.#pass = await destinations.write({ place, name }, alone);
        if (alone === undefined) this.#recorder = new WriteRecorder(this.#pass, log);
      }
    }
    await this.#readHashes();
    this.#writer = this.#makeWriter();
  }

  override async send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const failures = await this.#withHashes(async () => {
      // Batches keep their order. The engine calls `begin` first.
      await this.#hashes?.loaded;
      return (this.#writer as BulkWriter).write(batch, signal);
    });
    if (failures.length === batch.count && failures[0]?.status === 404) {
      await this.#rebuild?.requireIndex((text) => new HeadraceError('HR_INDEXER_GONE', text));
    }
    return failures;
  }

  override async finish(run: FinishedDocuments, signal: AbortSignal): Promise<FinishedOutput> {
    if (this.#rebuild !== undefined) return this.#rebuild.finish(run, signal);
    const { index, sync } = this.bulk;
    const { runId, log, retry } = this.context;
    // A retry writes only a few of the documents of its source.
    if (sync?.deleteMissing !== true || retry === true) return { checks: [] };
    const where = sync.where && jsonOf(sync.where);
    const { maxDeletePercent, allowNotices } = sync;
    await this.#withHashes(async () => this.#hashes?.loaded);
    const hashes = this.#hashes?.hashes;
    const check = await withAdmin(this.bulk, (admin) =>
      deleteMissing({ admin, index, hashes, maxDeletePercent, where, runId, run, allowNotices, signal, log }),
    );
    return { checks: [check] };
  }

  override async rollback(runId?: string): Promise<string> {
    if (this.bulk.rebuild === undefined) throw new Error('The config has no block rebuild: there is no older index');
    return withAdmin(this.bulk, (admin) =>
      rollBack(new IndexTarget(admin, planOf(this.bulk)), aliasOf(this.bulk), runId),
    );
  }

  override async close({ failed, reason = '' }: RunOutcome = { failed: false }): Promise<void> {
    this.#writer?.end();
    this.#recorder?.close();
    this.#pass?.close();
    if (failed && this.#isBuilding) await this.#rebuild?.fail(reason);
    await this.#hashes?.end();
    await this.#closeClients();
  }

  /** Ends the run if the file with hashes of `skipUnchanged` cannot be read or written. */
  async #withHashes<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ReindexError)) throw error;
      const { message, hint } = error;
      throw new HeadraceError('HR_INDEXER_GONE', message, hint === undefined ? {} : { hint });
    }
  }

  async #closeClients(): Promise<void> {
    this.#hashes?.close();
    await this.#engine?.close();
    await this.#patientEngine?.close();
    await this.#admin?.close();
  }

  /** Whether documents decide which index they go to. */
  get #namesIndex(): boolean {
    return this.context.settings.indexOverrideField !== undefined || isIndexTemplate(this.bulk.index);
  }

  /**
   * Finds out whether all documents go to a data stream, if that must be known before the first write. Throws if the
   * settings do not fit it. Otherwise the first write shows it.
   */
  async #findStreams(): Promise<boolean> {
    const { rebuild, dataStream, index, create, sync, skipUnchanged } = this.bulk;
    const { settings, log, onUnchanged = () => {} } = this.context;
    if (rebuild !== undefined || dataStream === false) return false;
    const names = new DataStreams({ engine: this.#engine as SearchEngine, all: dataStream, log });
    const [problem] = documentConflicts(this.bulk, settings);
    this.#streams = { names, why: problem?.message, onExisting: onUnchanged };
    const mustKnow = dataStream === true || skipUnchanged === true || settings.childrenField !== undefined;
    if (this.#namesIndex || !(mustKnow || create !== undefined || sync !== undefined)) return false;
    const unanswered = await names.find([index]);
    if (unanswered !== undefined) requireSuccess(unanswered);
    if (!names.has(index)) return false;
    if (dataStream === true && (await names.exists(index)) === false) {
      const { message, hint } = noStream(index);
      throw new HeadraceError('HR_INDEXER_CONNECT', message, { hint });
    }
    const [conflict] = dataStreamConflicts(this.bulk, settings);
    if (conflict !== undefined) {
      const { message, hint } = conflict;
      throw new HeadraceError(
        'HR_INDEXER_CONNECT',
        `${index} is a data stream. ${message}`,
        hint === undefined ? {} : { hint },
      );
    }
    return true;
  }

  /** Creates what is missing, and the new index of a rebuild. */
  async #prepare(): Promise<void> {
    const { create, index, skipUnchanged } = this.bulk;
    const rebuild = this.#rebuild;
    if (create === undefined && rebuild === undefined && skipUnchanged !== true) {
      await this.#findStreams();
      return;
    }
    this.#admin = await openAdmin(this.bulk);
    const definition = await definitionOf(this.bulk);
    const { log, retry } = this.context;
    const update = create?.update === true;
    await createDefinitions(this.#admin, definition, update, log);
    // The templates decide whether the first document creates a data stream.
    const isStream = await this.#findStreams();
    if (rebuild === undefined) {
      if (retry !== true && !isStream && isFixedName(index)) {
        await createIndex(this.#admin, index, definition, update, log);
      }
      return;
    }
    this.#target = new IndexTarget(this.#admin, planOf(this.bulk), definition);
    await rebuild.begin(this.#target);
    this.#isBuilding = true;
  }

  /** Begins to record what other runs change in the live index. */
  async #follow(rebuild: Rebuild, destinations: DestinationAccess, place: string): Promise<void> {
    const [admin, target] = [this.#admin as IndexAdmin, this.#target as IndexTarget];
    const pass = await destinations.rebuild(place, await target.names());
    const changes = this.#makeWriter({ partial: true, externalVersions: true });
    const { log } = this.context;
    const { foreignWrites = 'fail' } = this.bulk.rebuild ?? {};
    const write = (batch: EncodedBatch, signal: AbortSignal) => changes.write(batch, signal);
    const index = writeNameOf(rebuild.index);
    try {
      rebuild.follow(await RecordedChanges.open({ pass, admin, target, index, foreignWrites, log, write }));
    } catch (error) {
      pass.close();
      throw error;
    }
  }

  async #readHashes(): Promise<void> {
    if (this.bulk.skipUnchanged !== true) return;
    this.#hashes = await openHashes(this.#admin as IndexAdmin, this.bulk, this.context);
    this.maxInFlight = MANY_IN_FLIGHT;
  }

  /** @param changed other options, for the changes of other runs */
  #makeWriter(changed: Partial<BulkWriterOptions> = {}): BulkWriter {
    const { settings: shared, log } = this.context;
    const engine = this.#requireEngine();
    const name = this.#writeName;
    return new BulkWriter({
      engine,
      patientEngine: this.#patientEngine as SearchEngine,
      retries: retriesOf(this.context, `${this.product.requests} at ${engine.address}`),
      name: this.product,
      partial: this.bulk.update,
      externalVersions: versionOf(shared) !== undefined,
      namesIndex: this.#namesIndex,
      streams: this.#streams,
      requireAlias: this.#rebuild !== undefined,
      unchanged: this.#hashes?.documents,
      recorder: this.#recorder,
      requests: IN_FLIGHT,
      batchSize: shared.batchSize,
      notices: this.context.notices,
      ...(shared.childrenField === undefined ? {} : { children: { index: name, field: shared.childrenField } }),
      log,
      ...changed,
    });
  }

  /** Returns the client. The engine calls `connect` first. */
  #requireEngine(): SearchEngine {
    return this.#engine as SearchEngine;
  }
}

/** The problem of a name that the first document would make an index. */
function noStream(index: string): { readonly message: string; readonly hint: string } {
  return {
    message: `${index} is no data stream, and no index template would make it one`,
    hint: 'Name a template with data_stream in create.templates, correct the name, or remove dataStream.',
  };
}

/** Reports mistakes in the parameters of both products. */
export function* checkBulk(
  block: string,
  params: BulkParameters,
  settings: IndexerSettings,
): Generator<ParameterProblem> {
  for (const problem of checkConnection(block, params)) {
    // The connection parameters are in the block itself here, not in a nested object.
    yield { ...problem, parameter: String(problem.parameter).slice(block.length + 1) };
  }
  if (params.index.trim() !== '') {
    for (const problem of checkIndexName(params.index)) yield { parameter: 'index', ...problem };
  }
  yield* checkReindexing(params, settings, (text) => isNameOfIndex(text) && isFixedName(text));
  yield* checkAllowedNotices(params);
  if (params.dataStream === true) yield* dataStreamConflicts(params, settings);
  const { versionType, versionField, childrenField } = settings;
  if (childrenField !== undefined && isIndexTemplate(params.index)) {
    yield {
      block: 'indexer',
      parameter: 'childrenField',
      message: 'indexer.childrenField needs one index: the template in index may spread children over several',
      hint: `Set ${block}.index to one name.`,
    };
  }
  if (versionType?.toLowerCase() === 'force') {
    yield {
      block: 'indexer',
      parameter: 'versionType',
      message: 'Search engines no longer support the version type force',
      hint: 'Use External or ExternalGte.',
    };
  } else if (versionTypeOf(settings) !== undefined && params.update) {
    yield {
      block: 'indexer',
      parameter: 'versionType',
      message: 'Search engines refuse external versions for updates',
      hint: `Remove it, or set ${block}.update to false.`,
    };
  } else if (versionTypeOf(settings) !== undefined && versionField === undefined) {
    yield {
      block: 'indexer',
      parameter: 'versionType',
      message: 'indexer.versionType has no effect without indexer.versionField',
      hint: 'Set it to the field with the version.',
      severity: 'warning',
    };
  }
}

function versionTypeOf({ versionType }: IndexerSettings): 'external' | 'external_gte' | undefined {
  switch (versionType) {
    case 'External':
    case 'external':
      return 'external';
    case 'ExternalGte':
    case 'external_gte':
      return 'external_gte';
    default:
      return undefined;
  }
}

function versionOf(settings: IndexerSettings): BulkEncoderOptions['version'] {
  const type = versionTypeOf(settings);
  const field = settings.versionField;
  return type === undefined || field === undefined ? undefined : { type, field };
}
