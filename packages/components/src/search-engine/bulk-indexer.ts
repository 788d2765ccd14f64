import {
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  type ParameterProblem,
  type ReportProblem,
  type TObject,
} from '@headrace/engine';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { retriesOf } from '../delivery/retries.ts';
import { NO_RETRY, WRITE_ANSWER_MS } from '../http/retry.ts';
import type { ServerAccess } from '../http/server-access.ts';
import { BulkEncoder, type BulkEncoderOptions, type JoinSettings } from './bulk-encoder.ts';
import type { ProductName } from './bulk-reply.ts';
import { BulkWriter } from './bulk-writer.ts';
import { checkConnection } from './connection.ts';
import { checkIndexName, isIndexTemplate } from './index-name.ts';
import { reachIndex } from './reach-index.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';

/** Three requests keep a search engine busy while a response is on its way; more would only fill its queue. */
const IN_FLIGHT = 3;

/** The time-out for a delete by query: its response comes after all documents have been deleted. */
const PATIENCE_MS = 60 * 60_000;

/** The parameters of both products. */
export interface BulkParameters extends ServerAccess, Pick<SearchEngineSettings, 'url' | 'useCompression'> {
  readonly index: string;
  readonly update?: boolean;
  readonly childDocumentsField?: string;
}

/** The base class of the indexers for OpenSearch and Elasticsearch. */
export abstract class BulkIndexer<P extends TObject> extends Indexer<P> {
  override readonly maxInFlight = IN_FLIGHT;
  #engine: SearchEngine | undefined;
  #patientEngine: SearchEngine | undefined;
  #writer: BulkWriter | undefined;

  protected abstract readonly product: ProductName;

  /** The parameters that both products share. */
  protected abstract get bulk(): BulkParameters;

  protected joinSettings(): JoinSettings | undefined {
    return undefined;
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const { index, update = false, childDocumentsField } = this.bulk;
    const { whitelist = [], blacklist = [], idOverrideField, indexOverrideField, routingField } = settings;
    const version = versionOf(settings);
    const join = this.joinSettings();
    const options: BulkEncoderOptions = {
      index,
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
    return BulkEncoder.reference(options);
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { index } = this.bulk;
    await reachIndex(this.bulk, { index, parameter: 'index', isMadeByWriting: true }, report);
  }

  override async connect(): Promise<void> {
    const settings = { ...this.bulk, retry: NO_RETRY };
    this.#engine = await SearchEngine.open({
      ...settings,
      connections: IN_FLIGHT,
      answerTimeout: WRITE_ANSWER_MS,
    });
    this.#patientEngine = await SearchEngine.open({ ...settings, connections: 1, answerTimeout: PATIENCE_MS });
    try {
      await this.#engine.ping();
    } catch (error) {
      await this.close();
      throw error;
    }
    const { settings: shared, log } = this.context;
    this.#writer = new BulkWriter({
      engine: this.#engine,
      patientEngine: this.#patientEngine,
      retries: retriesOf(this.context, `${this.product.requests} at ${this.#engine.address}`),
      name: this.product,
      partial: this.bulk.update === true,
      externalVersions: versionOf(shared) !== undefined,
      namesIndex: shared.indexOverrideField !== undefined || isIndexTemplate(this.bulk.index),
      log,
    });
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as BulkWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    this.#writer?.end();
    await this.#engine?.close();
    await this.#patientEngine?.close();
  }
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
  const { versionType, versionField } = settings;
  if (versionType?.toLowerCase() === 'force') {
    yield {
      block: 'indexer',
      parameter: 'versionType',
      message: 'Search engines no longer support the version type force',
      hint: 'Use External or ExternalGte.',
    };
  } else if (versionTypeOf(settings) !== undefined && params.update === true) {
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
