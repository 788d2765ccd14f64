import { extname } from 'node:path';
import {
  BATCH_SETTINGS,
  capped,
  type EncodedBatch,
  type FinishedOutput,
  HeadraceError,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  MapOf,
  type ModuleReference,
  messageOf,
  OneOf,
  type ParameterProblem,
  SEARCH_ENGINE_SETTINGS,
  type Static,
  Type,
  WRITES,
} from 'headrace/engine';
import { checkOutputFileAccess, checkOutputPath, type Output, openOutputFile, remove, rename } from 'headrace/storage';
import { CELL_TYPES, type ColumnType, columnType } from './writing/column-type.ts';
import { RowEncoder } from './writing/row-encoder.ts';
import { COMPRESSIONS, RowGroupWriter } from './writing/row-group-writer.ts';
import { syncName } from './writing/sync-name.ts';

const parameters = Type.Object({
  /** The file. Missing folders are created. */
  path: Type.String(WRITES),
  /**
   * The columns, in order, and their types: columns { id: text, year: integer, tags: "text[]" }. A dot is part of a
   * name in quotes. The types are text, integer (64 bits), number (a double), boolean, timestamp (microseconds, UTC),
   * date, json and binary; with [] at the end, a list. Other fields are not written.
   */
  columns: MapOf(Type.String()),
  /** zstd, snappy, gzip or none. */
  compression: OneOf(COMPRESSIONS, { default: 'zstd' }),
  /** The number of rows of a row group, which is held in memory. */
  rowGroupSize: Type.Integer({ default: 100_000, minimum: 1, ...capped('maxItems') }),
});

type Params = Static<typeof parameters>;

const DISK_HINT = 'Free space on the disk or correct its error, and run again. No document of this run is in the file.';
const IGNORED = [...SEARCH_ENGINE_SETTINGS, ...BATCH_SETTINGS, 'indexOverrideField', 'whitelist', 'blacklist'] as const;

/**
 * Writes a row for each document to a Parquet file.
 *
 *     indexer { type: "Parquet" }
 *     parquet { path: "films.parquet", columns { id: text, title: text, year: integer, genres: "text[]" } }
 *
 * A field that is missing or null becomes a null. Texts are converted: "12" to an integer, "2024-12-31T23:59:59Z" to a
 * timestamp (without an offset it is in UTC; an integer is in milliseconds since 1970), base64 to bytes. In a column of
 * lists, one value becomes a list of one. A value that cannot be converted fails its document.
 *
 * The file gets its name when the run has succeeded. Before that, it is called like the file with .partial at the end,
 * and the file of the last run remains. A retry of failed documents writes its own file, with the id of the run in the
 * name, because rows cannot be added to a Parquet file.
 *
 * A Parquet file cannot be read without its end. So documents count as succeeded only when the file is complete and on
 * the disk. If the run fails, is stopped, or cannot write the file, all its documents count as failed, with the reason.
 */
export class ParquetIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'parquet';
  static readonly type = 'Parquet';
  static readonly javaClass = null;
  override readonly streaming = true;
  /** A Parquet file cannot be read without its end. */
  override readonly completesAtFinish = true;
  readonly #path = this.#ownPath();
  #output: Output | undefined;
  #rows: RowGroupWriter | undefined;

  static override *check({ path, columns }: Params, settings: IndexerSettings): Generator<ParameterProblem> {
    if (path === '') yield { parameter: 'path', message: 'path must not be empty' };
    yield* checkOutputPath(path);
    if (columns.size === 0) {
      yield { parameter: 'columns', message: 'columns is empty', hint: 'Write columns { id: text }.' };
    }
    for (const [name, type] of columns) {
      if (columnType(type) !== undefined) continue;
      yield {
        parameter: `columns.${name}`,
        message: `There is no type ${type}`,
        hint: `Use ${CELL_TYPES.join(', ')}, or one of them with [] at the end for lists.`,
      };
    }
    yield* ignoredSettings(settings, IGNORED, 'ParquetIndexer', 'every document is a row of the columns');
  }

  /** A file without its end cannot be read, so no row of an earlier run or of a part of a run can be kept. */
  static override needsWholeRun(): string {
    return 'path';
  }

  override encoder(): ModuleReference {
    return RowEncoder.reference({ columns: [...this.params.columns] });
  }

  override async checkAccess(): Promise<void> {
    await checkOutputFileAccess(this.#path);
  }

  override async connect(): Promise<void> {
    const { columns, compression, rowGroupSize } = this.params;
    // Otherwise a path that cannot be replaced fails only at the end of the run.
    await checkOutputFileAccess(this.#path);
    const output = await openOutputFile(this.#partialPath, false);
    this.#output = output;
    this.#rows = new RowGroupWriter(
      {
        columns: Array.from(columns, ([name, type]) => ({ name, type: columnType(type) as ColumnType })),
        compression,
        rowGroupSize,
      },
      (bytes) => output.write([bytes]),
    );
  }

  override async send({ pieces }: EncodedBatch): Promise<readonly IndexFailure[]> {
    try {
      // The engine calls `connect` first.
      await (this.#rows as RowGroupWriter).add(pieces);
    } catch (error) {
      // Rows of other batches are lost too, so the file cannot be completed.
      throw new HeadraceError('HR_INDEXER_GONE', messageOf(error), { cause: error, hint: DISK_HINT });
    }
    return [];
  }

  override async finish(): Promise<FinishedOutput> {
    await (this.#rows as RowGroupWriter).finish();
    await this.#closeOutput(false);
    try {
      await rename(this.#partialPath, this.#path);
      await syncName(this.#path);
    } catch (error) {
      await remove(this.#partialPath);
      throw new HeadraceError('HR_INDEXER_FINISH', `Cannot write to ${this.#path}: ${messageOf(error)}`);
    }
    return { checks: [] };
  }

  override async close(): Promise<void> {
    if (this.#output === undefined) return;
    await this.#closeOutput(true);
    await remove(this.#partialPath);
  }

  get #partialPath(): string {
    return `${this.#path}.partial`;
  }

  #ownPath(): string {
    const { path } = this.params;
    if (this.context.retry !== true) return path;
    const extension = extname(path);
    return `${path.slice(0, path.length - extension.length)}-${this.context.runId}${extension}`;
  }

  async #closeOutput(failed: boolean): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    await output?.close(failed);
  }
}
