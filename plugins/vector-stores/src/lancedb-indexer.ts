import { resolve } from 'node:path';
import { deletionSettings, KeyedEncoder, keyedEncoderOptions, retriesOf } from 'headrace/delivery';
import {
  allowedPath,
  type EncodedBatch,
  HeadraceError,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  isRestricted,
  MapOf,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  type Static,
  Type,
  WRITES,
} from 'headrace/engine';
import { FIELD_TYPES, type FieldType } from './lancedb/lance-columns.ts';
import { checkLance } from './lancedb/lance-library.ts';
import type { LanceProcess } from './lancedb/lance-process.ts';
import type { LanceSettings } from './lancedb/lance-target.ts';
import { ignoredByStores } from './store/store-settings.ts';
import type { StoreWriter } from './store/store-writer.ts';

const parameters = Type.Object({
  /** The folder of the database, which is created if it does not exist. Use either path or uri. */
  path: Type.Optional(Type.String(WRITES)),
  /** The URI of a database in an object store: s3://bucket/folder, gs://… or az://…. Uploaded configs need path. */
  uri: Type.Optional(Type.String()),
  /** Options for the object store, such as aws_access_key_id and aws_secret_access_key. Defaults to the environment. */
  storageOptions: Type.Optional(MapOf(Type.String())),
  /** The table. */
  table: Type.String(),
  /** The field and column with the vector. */
  vectorField: Type.String(),
  /** The length of the vectors. With it, the run creates the table if it does not exist. */
  dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
  /**
   * The other columns of a table that the run creates, with their types: text, integer, number or texts (a
   * list). The column id is always created. Defaults to none.
   */
  fields: Type.Optional(MapOf(OneOf([...FIELD_TYPES]))),
});

type Params = Static<typeof parameters>;

/** LanceDB compacts files after a run. A larger batch makes fewer files. */
const SMALL_BATCH = 50;

/**
 * Writes documents to a table of LanceDB, a vector database without a server: its files are in a local folder or an
 * object store. The run starts a process for the library, because a crash of the library would end the run.
 *
 *     indexer { type: "LanceDB", batchSize: 1000 }
 *     lancedb { path: vectors, table: articles, vectorField: embedding, dimensions: 384, fields { title: text, page: integer } }
 *
 * A row with the id of a document is replaced. A field is written to the column with its name. Fields without a column
 * are not written, columns without a field become null. An existing table must have the columns in fields, and vectors
 * of the length in dimensions. Its columns decide about types: texts, integers,
 * numbers, vectors, and lists of these. Booleans become 1 and 0 in an integer column. Columns of other types, also of
 * booleans, are not supported. Other values in a text column become JSON. A value that does not fit
 * its column, or a vector of another length, fails only its document. indexer.idOverrideField names the field with
 * another id.
 *
 * Batches that failed temporarily, such as by a conflict with another writer or after 10 minutes (for uploaded configs at
 * most maxProcessingSecs of the policy), are written again, up to ten times; indexer.maxRetries and related settings
 * change this. If a batch has several versions of a document, the last one is
 * written. Each batch is a new version of the table; after a run, small files are compacted.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * row with its id is deleted. indexer.childrenField deletes the old chunks of a document.
 *
 * If the policy of a service restricts scripts (as strict does), the library runs for uploaded configs inside a boundary of
 * the operating system, where it may write only to the folder of the database. A machine without one refuses the indexer.
 *
 * The indexer needs the packages @lancedb/lancedb and apache-arrow, which are not installed with the plugin.
 */
export class LanceDBIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'lancedb';
  static readonly type = 'LanceDB';
  static readonly javaClass = null;
  override readonly deletesOldChildren = true;
  #target: LanceProcess | undefined;
  #writer: StoreWriter | undefined;

  static override *check(params: Params, settings: IndexerSettings): Generator<ParameterProblem> {
    const { path, uri, table, vectorField, dimensions, fields } = params;
    if ((path === undefined) === (uri === undefined)) {
      const message = path === undefined ? 'The database is missing' : 'path and uri are both set';
      yield { parameter: path === undefined ? 'path' : 'uri', message, hint: 'Set path to a folder, or uri.' };
    }
    if (uri !== undefined && !/^(s3|gs|az):\/\/./.test(uri)) {
      const hint = 'Write s3://bucket/folder, gs://bucket/folder or az://container/folder, or set path.';
      yield { parameter: 'uri', message: `${uri} is not the URI of an object store`, hint };
    }
    if (!/^[\w.-]+$/.test(table)) {
      yield { parameter: 'table', message: 'table may have only letters, digits, dots, dashes and underscores' };
    }
    if (fields !== undefined && dimensions === undefined) {
      yield { parameter: 'fields', message: 'fields needs dimensions, with which the run creates the table' };
    }
    for (const name of [vectorField, ...(fields?.keys() ?? [])]) {
      const isTwice = name === vectorField ? fields?.has(name) === true : name === 'id';
      if (/^\w+$/.test(name) && !isTwice) continue;
      const message = isTwice ? `The column ${name} exists already` : `${name} cannot be the name of a column`;
      yield { parameter: name === vectorField ? 'vectorField' : 'fields', message };
    }
    const { childrenField, batchSize = 100 } = settings;
    if (childrenField !== undefined && dimensions !== undefined && fields?.has(childrenField) !== true) {
      const message = `indexer.childrenField is ${childrenField}, which is not a column`;
      yield {
        block: 'indexer',
        parameter: 'childrenField',
        message,
        hint: `Add lancedb.fields.${childrenField}: text.`,
      };
    }
    if (batchSize < SMALL_BATCH) {
      const message = `Each batch makes files of a table: ${batchSize} documents are few`;
      yield { block: 'indexer', parameter: 'batchSize', message, hint: 'Set it to 1000.', severity: 'warning' };
    }
    yield* ignoredByStores(settings, 'LanceDBIndexer');
    yield* checkLance(path === undefined ? 'uri' : 'path');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    return KeyedEncoder.reference({ ...keyedEncoderOptions(settings), ...deletionSettings(settings) });
  }

  override async checkAccess(): Promise<void> {
    const settings = this.#settings;
    // The run creates a missing table, but a check changes nothing.
    if (settings.columns !== undefined) return;
    const { LanceProcess } = await import('./lancedb/lance-process.ts');
    await (await LanceProcess.open(settings, this.context.log)).close();
  }

  override async connect(): Promise<void> {
    const [{ LanceProcess }, { StoreWriter }] = await Promise.all([
      import('./lancedb/lance-process.ts'),
      import('./store/store-writer.ts'),
    ]);
    const settings = this.#settings;
    this.#target = await LanceProcess.open(settings, this.context.log);
    const { childrenField } = this.context.settings;
    const retries = retriesOf(this.context, `LanceDB in ${settings.uri}`);
    this.#writer = new StoreWriter([this.#target], retries, { childrenField, http: false });
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as StoreWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#target?.close();
  }

  get #settings(): LanceSettings {
    const { path, uri, storageOptions, table, vectorField, dimensions, fields } = this.params;
    if (uri !== undefined && isRestricted()) {
      const message = 'An uploaded config may not write to the object stores of LanceDB: the policy cannot check them';
      throw new HeadraceError('HR_POLICY_REFUSED', message, { hint: 'Use path.' });
    }
    return {
      // The process of the library has another current directory.
      uri: path === undefined ? (uri ?? '') : resolve(allowedPath(path, 'write')),
      table,
      vectorField,
      storageOptions: Object.fromEntries(storageOptions ?? []),
      columns:
        dimensions === undefined
          ? undefined
          : { vectorField, dimensions, fields: (fields ?? new Map()) as ReadonlyMap<string, FieldType> },
    };
  }
}
