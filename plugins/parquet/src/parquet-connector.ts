import {
  Connector,
  HeadraceError,
  MapOf,
  messageOf,
  nearest,
  OneOf,
  type ParameterProblem,
  type Publisher,
  RESERVED_FIELDS,
  type ReportProblem,
  type Static,
  type TouchedFile,
  Type,
} from 'headrace/engine';
import { checkStorageSettings, type StorageSettings, Storages, storageParameters } from 'headrace/storage';
import { checkFilter, comparisonsOf } from './reading/filter-parameter.ts';
import { ParquetFile, type WantedRowGroup } from './reading/parquet-file.ts';
import type { RowGroupPart } from './reading/row-group-parts.ts';
import type { RowGroupOptions, RowGroupPosition } from './reading/row-group-reader.ts';
import { type Constant, jsonOf, mayPass } from './tables/constant.ts';
import type { DataFile } from './tables/data-file.ts';
import type { DeletedRows } from './tables/deleted-rows.ts';
import { filesOfTable } from './tables/files-of-table.ts';
import { checkSources, type FoundFile, findFiles, sourcesOf, storageSettings } from './tables/find-files.ts';
import type { FittedFile } from './tables/fit-file.ts';
import { PARTITION_TYPES } from './tables/partition-folders.ts';

const parameters = Type.Object({
  /**
   * The files and tables: local paths, file:///folder, s3://bucket/prefix, gs://bucket/prefix or
   * https://account.blob.core.windows.net/container/prefix. A folder is read with its subfolders. The last parts of a
   * path may have * (any characters but /), ** (any folders) and ?. Use either paths or pathToStorage.
   */
  paths: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  /** A file or a folder of fsUri, which is read with its subfolders. */
  pathToStorage: Type.Optional(Type.String()),
  /** Where pathToStorage is: file:/// or s3a://bucket. Defaults to file:///. */
  fsUri: Type.Optional(Type.String()),
  /** The column with the id. Every file must have it. It does not become a field. */
  idField: Type.String(),
  /** The columns that become fields. Defaults to all. Other columns are not read from the file. */
  columns: Type.Optional(Type.Array(Type.String())),
  /**
   * Publishes only rows that pass all comparisons: filter { price { gte: 10, lt: 20 }, country: DE }. The operators are
   * eq, ne, gt, gte, lt, lte and in. Row groups and pages whose statistics exclude all rows are not read. Only columns
   * without lists and objects can be compared. A null passes ne only. A value that the column cannot have, such as a
   * fraction of a whole number, is refused. Write numbers of more than 15 digits in quotes.
   */
  filter: Type.Optional(MapOf(Type.Unknown())),
  /**
   * Whether folders with names such as dt=2026-01-01 are columns: of the type integer if all their values are whole
   * numbers, of the type date if all are dates, otherwise of the type text. They replace columns of the files with the
   * same name. A folder that the filter excludes is not listed.
   */
  partitions: Type.Boolean({ default: true }),
  /** The types of partition columns, instead of those that their values suggest: partitionTypes { zip: text }. */
  partitionTypes: Type.Optional(MapOf(OneOf(PARTITION_TYPES))),
  /** The version of a Delta table, or the id of the snapshot of an Iceberg table, to read. Defaults to the newest one. */
  version: Type.Optional(Type.String()),
  /** Reads what a Delta or Iceberg table was at this time, such as 2026-01-01T00:00:00Z. */
  timestamp: Type.Optional(Type.String()),
  /** The maximum number of documents of the run. Not together with filter. -1 means all. */
  limit: Type.Integer({ default: -1, minimum: -1 }),
  /** How many rows to skip at the start of each file. */
  start: Type.Integer({ default: 0, minimum: 0 }),
  /**
   * How decimals are written: as number, as text with all digits, or auto: as number if the column has at most 15
   * digits, which a number holds exactly.
   */
  decimals: OneOf(['auto', 'number', 'text'], { default: 'auto' }),
  /** Whether binary columns without a type are text in UTF-8. Otherwise they are bytes. */
  binaryAsText: Type.Boolean({ default: false }),
  /** The id of the access key for S3; needs s3Secret. The block s3 has more settings. */
  s3Key: Type.Optional(Type.String()),
  /** The secret of the access key for S3. */
  s3Secret: Type.Optional(Type.String()),
  ...storageParameters,
});

type Params = Static<typeof parameters>;

/**
 * Publishes a document for each row of Parquet files and of Delta and Iceberg tables. Reads all files whose name ends
 * with parquet, and the rows in their order. Files and folders whose names begin with _ or a dot are omitted. Files of
 * object stores are read in ranges: only the footer and the columns that are needed.
 *
 * A folder that is a table is read by its log: the rows of its newest version, or of another one. Deletion vectors and
 * other deletes, renamed and added columns are supported. A Hudi table is refused, as is a table with features that are
 * not supported. Files outside the folder of a table are not read.
 *
 * Values keep their type and all their digits: whole numbers of any size, doubles, and floats with the digits that Java
 * writes. An instant becomes 2024-12-31T23:59:59.123456Z, a timestamp without a time zone has no Z, a date becomes
 * 2024-12-31, a time 23:59:59. Lists, maps and structs become lists and objects. Binary columns become bytes, UUIDs
 * become text. JSON columns are parsed. A null is a missing field; inside lists and objects it stays null.
 *
 * A file that cannot be read counts as one failed document, and the others are read. So does a row whose id is null. If
 * a row group is damaged, the rest of its rows fail.
 */
export class ParquetConnector extends Connector<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.parquet.connector.ParquetConnector';
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  readonly #storages = new Storages(storageSettings(this.params));
  /** How many tables were found. A table may have no files. */
  #tables = 0;
  /** How many folders, and files of tables, the filter has excluded. */
  #excluded = 0;

  static override *check(params: Params): Generator<ParameterProblem> {
    yield* checkSources(params, storageSettings(params));
    yield* checkStorageSettings(params as StorageSettings);
    yield* checkFilter(params.filter);
    if ((params.s3Key === undefined) !== (params.s3Secret === undefined)) {
      yield { parameter: 's3Key', message: 's3Key and s3Secret only work together', hint: 'Set both or neither.' };
    }
    if (params.filter !== undefined && params.limit >= 0) {
      yield {
        parameter: 'limit',
        message: 'limit cannot be combined with filter, because filtered rows are only known in the pipeline',
        hint: 'Remove one of them.',
      };
    }
    if (params.version !== undefined && !/^\d+$/.test(params.version)) {
      yield { parameter: 'version', message: `version must be a whole number, was ${params.version}` };
    }
    if (params.timestamp !== undefined && Number.isNaN(timeOf(params.timestamp))) {
      yield {
        parameter: 'timestamp',
        message: `timestamp must be a date or an instant, was ${params.timestamp}`,
        hint: 'Write 2026-01-01T00:00:00Z.',
      };
    }
    if (params.version !== undefined && params.timestamp !== undefined) {
      yield { parameter: 'timestamp', message: 'version and timestamp are both set', hint: 'Remove one of them.' };
    }
    for (const [i, column] of (params.columns ?? []).entries()) {
      if (RESERVED_FIELDS.has(column) && column !== params.idField) yield reservedColumn(`columns[${i}]`, column);
    }
  }

  static override touches(params: Params): Iterable<TouchedFile> {
    return sourcesOf(params).flatMap(({ uri, parameter }) =>
      'mistake' in uri || uri.scheme !== 'file'
        ? []
        : { parameter, access: 'read' as const, path: uri.path, verb: 'read' },
    );
  }

  override async checkAccess(report: ReportProblem, signal: AbortSignal): Promise<void> {
    for await (const found of this.#files(signal, { onlyFirst: true })) {
      const { file, constants } = await openFile(found);
      try {
        const { filter } = this.#optionsOf(file, constants);
        file.rowGroups(0, filter);
      } catch (error) {
        report({ parameter: 'idField', message: `${found.path}: ${messageOf(error)}` });
      } finally {
        await file.close();
      }
      return;
    }
    if (this.#tables + this.#excluded === 0) throw this.#nothingFound();
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    if (publisher === undefined) {
      throw new HeadraceError('HR_CONNECTOR_FAILED', 'ParquetConnector has no pipeline to publish its documents to', {
        hint: 'Set the parameter pipeline of the connector.',
      });
    }
    const { signal } = publisher;
    const { limit } = this.params;
    const counts: Counts = {
      files: 0,
      refused: 0,
      skippedGroups: 0,
      left: limit < 0 ? Number.POSITIVE_INFINITY : limit,
    };
    for await (const found of this.#files(signal)) {
      if (signal.aborted || counts.left === 0) break;
      counts.files++;
      await this.#publishFile(found, publisher, counts);
    }
    const isEmpty = counts.files + this.#tables + this.#excluded === 0;
    if (isEmpty && !signal.aborted && limit !== 0) throw this.#nothingFound();
    const skipped = counts.skippedGroups === 0 ? '' : `, ${counts.skippedGroups} row groups were not read`;
    const excluded = this.#excluded === 0 ? '' : `, the filter excluded ${this.#excluded} others by their partitions`;
    this.message = `${counts.files} files${excluded}${refusedText(counts)}${skipped}`;
  }

  override close(): Promise<void> {
    return this.#storages.close();
  }

  /** Finds the files of the places, and of the tables in them, that may have rows that pass the filter. */
  async *#files(signal: AbortSignal, { onlyFirst = false } = {}): AsyncGenerator<FoundFile | DataFile> {
    const { partitions, partitionTypes, version, timestamp } = this.params;
    const filter = comparisonsOf(this.params.filter);
    const onExcluded = () => void this.#excluded++;
    const settings = { partitions, partitionTypes, filter, onlyFirst, onExcluded };
    for await (const found of findFiles(this.params, settings, this.#storages, this.context.notices, signal)) {
      if (found.kind === 'file') {
        if (version !== undefined || timestamp !== undefined) throw noTable(found);
        yield found;
        continue;
      }
      this.#tables++;
      const at = { version, millis: timestamp === undefined ? undefined : timeOf(timestamp) };
      for await (const file of filesOfTable(found, at, this.context, signal)) {
        if (mayPass(file.constants, filter)) yield file;
        else this.#excluded++;
      }
    }
  }

  async #publishFile(found: FoundFile | DataFile, publisher: Publisher, counts: Counts): Promise<void> {
    const { path } = found;
    let file: ParquetFile | undefined;
    let fitted: FittedFile;
    let options: RowGroupOptions;
    let groups: WantedRowGroup[];
    let deleted: DeletedRows | undefined;
    try {
      fitted = await openFile(found);
      file = fitted.file;
      options = this.#optionsOf(file, fitted.constants);
      groups = mayPass(fitted.constants, comparisonsOf(this.params.filter))
        ? file.rowGroups(this.params.start, options.filter)
        : [];
      if (groups.length > 0 && 'deletedRows' in found) deleted = await found.deletedRows(fitted.stored);
    } catch (error) {
      await file?.close();
      const message = messageOf(error);
      counts.refused++;
      counts.firstReason ??= `${path}: ${message}`;
      await publisher.reject({ place: path, message });
      return;
    }
    try {
      counts.skippedGroups += file.metadata.row_groups.length - groups.length;
      const needed = new Set([options.idField, ...options.columns, ...options.filter.map(({ column }) => column)]);
      const { lostRows, RowGroupDecoder } = await import('./reading/row-group-decoder.ts');
      const decoder = RowGroupDecoder.reference(options);
      const constants = [...fitted.constants]
        .filter(([column]) => needed.has(column))
        .map(([column, constant]) => [column, jsonOf(constant, options.convert) ?? null] as const);
      for (const group of groups) {
        if (publisher.signal.aborted || counts.left === 0) return;
        const before = group.firstRow - 1;
        const skip = Math.max(0, this.params.start - before);
        const end = before + group.rows;
        const rows =
          deleted === undefined
            ? Math.min(group.rows - skip, counts.left)
            : deleted.afterKept(before + skip, end, counts.left) - (before + skip);
        const parts = file.read(group, needed, skip, rows, options.filter);
        const place = { path, rowGroup: group.number, firstRow: group.firstRow, constants };
        for (let left = rows; left > 0 && !publisher.signal.aborted; ) {
          let part: RowGroupPart | undefined;
          try {
            part = (await parts.next()).value ?? undefined;
          } catch (error) {
            const lost = left - (deleted?.countBetween(before + skip + rows - left, before + skip + rows) ?? 0);
            await publisher.reject(lostRows(place, lost, options, error));
            break;
          }
          if (part === undefined) break;
          const { bytes, ...found } = part;
          const from = before + part.skip;
          const bits = deleted?.slice(from, from + part.rows);
          const position: RowGroupPosition = { ...place, ...found, ...(bits === undefined ? {} : { deleted: bits }) };
          left = skip + rows - (part.skip + part.rows);
          const kept = part.rows - (deleted?.countBetween(from, from + part.rows) ?? 0);
          counts.left -= kept;
          if (kept === 0) continue;
          const isKnown = options.filter.length === 0 && part.bytes.length >= SMALL_BYTES;
          const documents = isKnown ? { documents: kept } : {};
          await publisher.publishChunk({ bytes, decoder, position, ...documents });
        }
      }
    } finally {
      await file.close();
    }
  }

  /** Returns how the rows of a file are decoded. Throws if its columns do not fit the parameters. */
  #optionsOf(file: ParquetFile, constants: ReadonlyMap<string, Constant>): RowGroupOptions {
    const { idField, columns, decimals, binaryAsText } = this.params;
    const inFile = file.columns;
    const known = new Set(inFile);
    const missing = new Set([idField, ...(columns ?? [])].filter((name) => !known.has(name)));
    if (missing.size > 0) throw new Error(`it has no ${missingColumns([...missing], inFile)}`);
    const id = file.column(idField);
    if (id?.type === undefined || id.repetition_type === 'REPEATED') {
      throw new Error(`the column ${idField} has lists or objects, which cannot be ids`);
    }
    const fields = (columns ?? inFile).filter((name) => name !== idField);
    const reserved = fields.find((name) => RESERVED_FIELDS.has(name) || name === '');
    if (reserved !== undefined) {
      throw new Error(
        `the column ${JSON.stringify(reserved)} cannot become a field, because its name is reserved: list the other columns in the parameter columns`,
      );
    }
    return {
      schema: file.metadata.schema,
      columns: fields,
      idField,
      docIdPrefix: this.context.docIdPrefix,
      filter: comparisonsOf(this.params.filter).filter(({ column }) => !constants.has(column)),
      convert: { decimals, binaryAsText },
    };
  }

  #nothingFound(): HeadraceError {
    const sources = sourcesOf(this.params);
    const paths = sources.map(({ text }) => text).join(', ');
    return new HeadraceError('HR_SOURCE_UNREADABLE', `There is no Parquet file at ${paths}`, {
      hint: sources.some(({ isPattern }) => isPattern)
        ? 'A pattern must match files, not folders: year=*/*.parquet, or year=*/**/*.parquet.'
        : 'The names of Parquet files must end with parquet.',
    });
  }
}

/** What a run has read so far, and how many documents it may still publish. */
interface Counts {
  files: number;
  /** The number of files of which no row could be read. */
  refused: number;
  firstReason?: string;
  skippedGroups: number;
  left: number;
}

/** Returns what the summary of the run says about the files that could not be read. */
function refusedText({ refused, firstReason }: Counts): string {
  if (refused === 0) return '';
  return `, of which ${refused} could not be read (${refused === 1 ? '' : 'the first one: '}${firstReason})`;
}

async function openFile(found: FoundFile | DataFile): Promise<FittedFile> {
  const ranges = await found.storage.openRanges(found.uri);
  try {
    const file = await ParquetFile.open(ranges);
    if (!('fields' in found) && found.constants.size === 0) return { file, stored: file, constants: found.constants };
    const { fitFile } = await import('./tables/fit-file.ts');
    return fitFile(file, found);
  } catch (error) {
    await ranges.close();
    throw error;
  }
}

/** Returns the time of a date or an instant, in milliseconds; NaN if it is neither. Without a zone, it is UTC. */
function timeOf(text: string): number {
  const [, date, clock, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${clock ?? '00:00'}${zone}`);
}

function noTable({ path }: FoundFile): HeadraceError {
  return new HeadraceError('HR_SOURCE_UNREADABLE', `${path} is a file that is not part of a table`, {
    hint: 'version and timestamp only work with the folder of a Delta or Iceberg table.',
  });
}

/** Smaller chunks are processed together, which is only possible if their documents are counted later. */
const SMALL_BYTES = 32 * 1024;

/** A damaged file may have a million columns. */
const MAX_LISTED = 20;

function listed(columns: readonly string[]): string {
  const more = columns.length - MAX_LISTED;
  return columns.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Names all columns that a file does not have, each with the most similar one that it has. */
function missingColumns(missing: readonly string[], inFile: readonly string[]): string {
  const names = missing.map((name) => {
    const similar = nearest(name, inFile);
    return similar === undefined ? name : `${name} (did you mean ${similar}?)`;
  });
  return `${missing.length === 1 ? 'column' : 'columns'} ${listed(names)}, only ${listed(inFile)}`;
}

function reservedColumn(parameter: string, column: string): ParameterProblem {
  return { parameter, message: `The column ${column} cannot become a field, because its name is reserved` };
}
