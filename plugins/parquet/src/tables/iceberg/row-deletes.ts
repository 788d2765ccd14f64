import { type MemoryHold, maxValueBytes, type Value, writeValue } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';
import { ParquetFile } from '../../reading/parquet-file.ts';
import type { DataFile } from '../data-file.ts';
import { DeletedRows } from '../deleted-rows.ts';
import { addVector, storedVector } from '../deletion-vector.ts';
import { fitFile } from '../fit-file.ts';
import type { TableField } from '../table-field.ts';
import { readRows, type TableRow } from '../table-rows.ts';
import { CONTENT, type ManifestFile } from './manifests.ts';

/** What the deletes of a table need of it. */
export interface DeletesContext {
  readonly storage: Storage;
  readonly memory: MemoryHold;
  /** Returns a file that the manifests name. */
  fileAt(path: string): FileUri;
  /** Returns the columns with some ids. */
  fieldsWith(ids: readonly number[]): TableField[];
  isUnpartitioned(specId: number): boolean;
  dataFile(file: ManifestFile, fields: readonly TableField[]): DataFile;
}

/** Files that state deleted rows, and what they state. Each is read once, when a file with rows needs it. */
export class RowDeletes {
  readonly #context: DeletesContext;
  readonly #vectors = new Map<string, ManifestFile>();
  readonly #positions: ManifestFile[] = [];
  readonly #equality: ManifestFile[] = [];
  readonly #rows = new Map<ManifestFile, Map<string, number[]>>();
  readonly #keys = new Map<ManifestFile, Set<string>>();

  constructor(files: readonly ManifestFile[], context: DeletesContext) {
    this.#context = context;
    for (const file of files) {
      if (file.content === CONTENT.equality) this.#equality.push(file);
      else if (file.format !== 'PUFFIN') this.#positions.push(file);
      else if (file.dataFile !== undefined) this.#vectors.set(file.dataFile, file);
      else throw new Error(`its deletion vector in ${file.path} states no file`);
    }
  }

  /** Returns the deleted rows of a file; undefined if there are none. @param stored the file with its own columns */
  async of(file: ManifestFile, stored: ParquetFile): Promise<DeletedRows | undefined> {
    const vector = this.#vectors.get(file.path);
    // A deletion vector has all rows of the files with positions before it.
    const positions = vector !== undefined ? [] : this.#positions.filter((one) => this.#mayHavePositions(one, file));
    const equality = this.#equality.filter((one) => this.#isAppliedTo(one, file));
    if (vector === undefined && positions.length === 0 && equality.length === 0) return undefined;
    const deleted = new DeletedRows(stored.rows);
    if (vector !== undefined) addVector(await this.#vectorBytes(vector), vector.records, deleted);
    for (const one of positions) {
      for (const row of (await this.#positionsOf(one)).get(file.path) ?? []) deleted.add(row);
    }
    for (const group of groupsOf(equality)) await this.#deleteEqual(group, file, stored, deleted);
    return deleted;
  }

  #mayHavePositions(deletes: ManifestFile, { path, sequence }: ManifestFile): boolean {
    return deletes.sequence >= sequence && (deletes.dataFile === undefined || deletes.dataFile === path);
  }

  /** Deletes by values concern older files of the same partition, or of all partitions. */
  #isAppliedTo(deletes: ManifestFile, { sequence, specId, partition }: ManifestFile): boolean {
    if (deletes.sequence <= sequence) return false;
    if (this.#context.isUnpartitioned(deletes.specId)) return true;
    return deletes.specId === specId && partitionKey(deletes.partition) === partitionKey(partition);
  }

  async #vectorBytes({ path, offset, size }: ManifestFile): Promise<Uint8Array> {
    if (!(size >= MIN_VECTOR_BYTES && size <= maxValueBytes() && offset >= 0)) {
      throw new Error(`the deletion vector in ${path} has ${size} bytes`);
    }
    const file = await this.#context.storage.openRanges(this.#context.fileAt(path));
    try {
      if (offset + size > file.size) throw new Error(`the file ${path} is too short for a deletion vector`);
      return storedVector(await file.read(offset, offset + size), size - LENGTH_AND_CHECKSUM);
    } finally {
      await file.close();
    }
  }

  async #positionsOf(deletes: ManifestFile): Promise<Map<string, number[]>> {
    let found = this.#rows.get(deletes);
    if (found !== undefined) return found;
    found = new Map();
    for await (const [path, row] of this.#rowsOf(deletes, (file) => readRows(file, ['file_path', 'pos']))) {
      const rows = found.get(path as string);
      await this.#context.memory.take(rows === undefined ? ENTRY_BYTES : POSITION_BYTES);
      if (rows === undefined) found.set(path as string, [Number(row)]);
      else rows.push(Number(row));
    }
    this.#rows.set(deletes, found);
    return found;
  }

  /** Deletes the rows that have the values of one of several files, which have the same columns. */
  async #deleteEqual(
    group: readonly ManifestFile[],
    file: ManifestFile,
    stored: ParquetFile,
    deleted: DeletedRows,
  ): Promise<void> {
    const fields = this.#context.fieldsWith((group[0] as ManifestFile).equalityIds);
    const sets = await Promise.all(group.map((one) => this.#keysOf(one, fields)));
    const { file: fitted, constants } = fitFile(stored, this.#context.dataFile(file, fields));
    let number = 0;
    for await (const row of readRows(
      fitted,
      fields.map(({ name }) => name),
      constants,
    )) {
      const key = keyOf(row);
      if (sets.some((keys) => keys.has(key))) deleted.add(number);
      number++;
    }
  }

  async #keysOf(deletes: ManifestFile, fields: readonly TableField[]): Promise<Set<string>> {
    let keys = this.#keys.get(deletes);
    if (keys !== undefined) return keys;
    keys = new Set();
    const names = fields.map(({ name }) => name);
    const rows = this.#rowsOf(deletes, (file) => {
      const { file: fitted, constants } = fitFile(file, {
        ...this.#context.dataFile(deletes, fields),
        constants: new Map(),
      });
      return readRows(fitted, names, constants);
    });
    for await (const row of rows) {
      const key = keyOf(row);
      await this.#context.memory.take(ENTRY_BYTES + 2 * key.length);
      keys.add(key);
    }
    this.#keys.set(deletes, keys);
    return keys;
  }

  async *#rowsOf(
    { path }: ManifestFile,
    rows: (file: ParquetFile) => AsyncIterable<TableRow>,
  ): AsyncGenerator<TableRow> {
    const file = await this.#context.storage.openRanges(this.#context.fileAt(path));
    try {
      yield* rows(await ParquetFile.open(file));
    } catch (error) {
      throw new Error(`the deleted rows in ${path} cannot be read: ${(error as Error).message}`, { cause: error });
    } finally {
      await file.close();
    }
  }
}

/** The length before a deletion vector, and the checksum after it. */
const LENGTH_AND_CHECKSUM = 8;
const MIN_VECTOR_BYTES = LENGTH_AND_CHECKSUM + 4;
/** About the memory of an entry of a map or a set, and of a number of a list. */
const ENTRY_BYTES = 200;
const POSITION_BYTES = 8;

/** Groups files by their columns. */
function groupsOf(files: readonly ManifestFile[]): ManifestFile[][] {
  return [...Map.groupBy(files, ({ equalityIds }) => equalityIds.join()).values()];
}

function keyOf(row: TableRow): string {
  return row.map((value: Value | undefined) => (value === undefined ? '' : writeValue(value))).join('\0');
}

function partitionKey(partition: ManifestFile['partition']): string {
  const fields = [...partition].toSorted(([a], [b]) => a - b);
  return JSON.stringify(fields, (_, value: unknown) => {
    if (typeof value === 'bigint') return Number(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  });
}
