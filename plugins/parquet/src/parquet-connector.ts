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
import {
  checkStorageSettings,
  type FileUri,
  type Storage,
  type StorageSettings,
  Storages,
  storageParameters,
} from 'headrace/storage';
import { checkFilter, comparisonsOf } from './reading/filter-parameter.ts';
import { checkSources, type FoundFile, findFiles, sourcesOf, storageSettings } from './reading/find-files.ts';
import { ParquetFile, type WantedRowGroup } from './reading/parquet-file.ts';
import type { RowGroupPart } from './reading/row-group-parts.ts';
import type { RowGroupOptions, RowGroupPosition } from './reading/row-group-reader.ts';

const parameters = Type.Object({
  /**
   * The files: local paths, file:///folder, s3://bucket/prefix, gs://bucket/prefix or
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
 * Publishes a document for each row of Parquet files. Reads all files whose name ends with parquet, in the order of the
 * listing, and the rows in their order. Files of object stores are read in ranges: only the footer and the columns that
 * are needed.
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

  override async reach(report: ReportProblem, signal: AbortSignal): Promise<void> {
    for await (const { path, storage, uri } of findFiles(this.params, this.#storages, this.context, signal)) {
      const file = await openFile(storage, uri);
      try {
        this.#optionsOf(file);
        file.rowGroups(0, comparisonsOf(this.params.filter));
      } catch (error) {
        report({ parameter: 'idField', message: `${path}: ${messageOf(error)}` });
      } finally {
        await file.close();
      }
      return;
    }
    throw this.#nothingFound();
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
    for await (const found of findFiles(this.params, this.#storages, this.context, signal)) {
      if (signal.aborted || counts.left === 0) break;
      counts.files++;
      await this.#publishFile(found, publisher, counts);
    }
    if (counts.files === 0 && !signal.aborted && limit !== 0) throw this.#nothingFound();
    const skipped = counts.skippedGroups === 0 ? '' : `, ${counts.skippedGroups} row groups were not read`;
    this.message = `${counts.files} files${refusedText(counts)}${skipped}`;
  }

  override close(): Promise<void> {
    return this.#storages.close();
  }

  async #publishFile({ path, storage, uri }: FoundFile, publisher: Publisher, counts: Counts): Promise<void> {
    let file: ParquetFile | undefined;
    let options: RowGroupOptions;
    let groups: WantedRowGroup[];
    try {
      file = await openFile(storage, uri);
      options = this.#optionsOf(file);
      groups = file.rowGroups(this.params.start, options.filter);
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
      for (const group of groups) {
        if (publisher.signal.aborted || counts.left === 0) return;
        const skip = Math.max(0, this.params.start - (group.firstRow - 1));
        const rows = Math.min(group.rows - skip, counts.left);
        const parts = file.read(group, needed, skip, rows, options.filter);
        const place = { path, rowGroup: group.number, firstRow: group.firstRow };
        for (let left = rows; left > 0 && !publisher.signal.aborted; ) {
          let part: RowGroupPart | undefined;
          try {
            part = (await parts.next()).value ?? undefined;
          } catch (error) {
            await publisher.reject(lostRows(place, left, options, error));
            break;
          }
          if (part === undefined) break;
          const { bytes, ...found } = part;
          const position: RowGroupPosition = { ...place, ...found };
          left = skip + rows - (part.skip + part.rows);
          counts.left -= part.rows;
          const isKnown = options.filter.length === 0 && part.bytes.length >= SMALL_BYTES;
          const documents = isKnown ? { documents: part.rows } : {};
          await publisher.publishChunk({ bytes, decoder, position, ...documents });
        }
      }
    } finally {
      await file.close();
    }
  }

  /** Returns how the rows of a file are decoded. Throws if its columns do not fit the parameters. */
  #optionsOf(file: ParquetFile): RowGroupOptions {
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
      filter: comparisonsOf(this.params.filter),
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

async function openFile(storage: Storage, uri: FileUri): Promise<ParquetFile> {
  const file = await storage.openRanges(uri);
  try {
    return await ParquetFile.open(file);
  } catch (error) {
    await file.close();
    throw error;
  }
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
