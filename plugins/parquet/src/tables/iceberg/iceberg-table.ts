import { HeadraceError, holdMemory, type Logger, type MemoryHold, messageOf, type Notices } from 'headrace/engine';
import type { FileUri } from 'headrace/storage';
import type { ParquetFile } from '../../reading/parquet-file.ts';
import type { RawValue } from '../../reading/stored-values.ts';
import type { Constant } from '../constant.ts';
import type { DataFile, TableVersion } from '../data-file.ts';
import type { FoundTable } from '../find-files.ts';
import { hasFieldIds, type Matching } from '../fit-columns.ts';
import { filesIn } from '../folder-listing.ts';
import type { TableField } from '../table-field.ts';
import { ICEBERG_METADATA, inFolder, nameOf } from '../table-kind.ts';
import { shownUri, tablePath } from '../table-path.ts';
import type { AvroValue } from './avro-file.ts';
import { type IcebergMetadata, readMetadata, type Snapshot } from './iceberg-metadata.ts';
import { CONTENT, type Manifest, type ManifestFile, readManifest, readManifestList } from './manifests.ts';
import { RowDeletes } from './row-deletes.ts';

/** Reads the metadata of an Iceberg table, and returns the files of a snapshot. */
export async function* icebergFiles(
  table: FoundTable,
  at: TableVersion,
  { log, notices }: { readonly log: Logger; readonly notices: Notices },
  signal: AbortSignal,
): AsyncGenerator<DataFile> {
  const memory = holdMemory(`the metadata of ${table.root.path}`);
  try {
    const metadata = await readMetadata(
      table.storage,
      table.metadata ?? (await newestMetadata(table, notices, signal)),
    );
    const snapshot = metadata.snapshot(at);
    if (snapshot === undefined) return;
    log.info(`Reading snapshot ${snapshot.id} of the Iceberg table ${table.root.path}`, {});
    yield* new IcebergTable(table, metadata, memory).files(snapshot, signal);
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `The Iceberg table ${table.root.path}: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    memory.release();
  }
}

/** The names of metadata files are v2.metadata.json, or 00002-UUID.metadata.json. */
const NUMBER = /^v?(\d+)[.-]/;
const NO_NUMBER = -1;

/** Returns the newest metadata file. A catalog, which knows it, is not read. */
async function newestMetadata({ root, storage }: FoundTable, notices: Notices, signal: AbortSignal): Promise<FileUri> {
  const numbered = new Map<number, FileUri[]>();
  for await (const { uri } of filesIn(storage, inFolder(root, 'metadata'), signal)) {
    if (!ICEBERG_METADATA.test(uri.path)) continue;
    const number = Number(NUMBER.exec(nameOf(uri))?.[1] ?? NO_NUMBER);
    numbered.set(number, [...(numbered.get(number) ?? []), uri]);
  }
  const highest = Math.max(...numbered.keys());
  // A file without a number may be newer or older.
  const newest = [highest, ...(highest === NO_NUMBER ? [] : [NO_NUMBER])].flatMap((one) => numbered.get(one) ?? []);
  const [only, ...others] = newest;
  if (only === undefined) throw new Error('it has no metadata file');
  if (others.length === 0) return only;
  const dated = await Promise.all(
    newest.map(async (uri) => ({ uri, at: (await readMetadata(storage, uri)).lastUpdated })),
  );
  const [chosen] = dated.toSorted((a, b) => b.at - a.at) as [(typeof dated)[number]];
  notices.report('table.ambiguous', {
    file: shownUri(chosen.uri),
    hint: 'The names of the files do not say which one is newer, but a catalog does. Name its metadata file in paths.',
  });
  return chosen.uri;
}

class IcebergTable {
  readonly #table: FoundTable;
  readonly #metadata: IcebergMetadata;
  readonly #memory: MemoryHold;

  constructor(table: FoundTable, metadata: IcebergMetadata, memory: MemoryHold) {
    this.#table = table;
    this.#metadata = metadata;
    this.#memory = memory;
  }

  async *files({ manifestList, manifests, fields }: Snapshot, signal: AbortSignal): AsyncGenerator<DataFile> {
    const all =
      manifestList === undefined
        ? manifests.map((path): Manifest => ({ path, hasDeletes: false, specId: undefined, sequence: 0 }))
        : await readManifestList(this.#table.storage, this.#fileAt(manifestList));
    const deletes: ManifestFile[] = [];
    for (const manifest of all) if (manifest.hasDeletes) deletes.push(...(await this.#read(manifest)));
    const rowDeletes = new RowDeletes(deletes, {
      storage: this.#table.storage,
      memory: this.#memory,
      fileAt: (path) => this.#fileAt(path),
      fieldsWith: (ids) => this.#metadata.fieldsWith(ids),
      isUnpartitioned: (specId) => this.#metadata.spec(specId).isUnpartitioned,
      dataFile: (file, columns) => this.#dataFile(file, columns, undefined),
    });
    for (const manifest of all) {
      if (signal.aborted) return;
      if (manifest.hasDeletes) continue;
      for (const file of await this.#read(manifest)) yield this.#dataFile(file, fields, rowDeletes);
    }
  }

  async #read(manifest: Manifest): Promise<ManifestFile[]> {
    let files: ManifestFile[];
    try {
      files = await readManifest(this.#table.storage, this.#fileAt(manifest.path), manifest);
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      throw new Error(`its manifest ${manifest.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
    for (const { path, format, content, isEncrypted } of files) {
      const isVector = content === CONTENT.positions && format === 'PUFFIN';
      if (format !== 'PARQUET' && !isVector) throw new Error(`its file ${path} has the format ${format}`);
      if (isEncrypted) throw new Error(`its file ${path} is encrypted`);
    }
    return files;
  }

  #fileAt(path: string): FileUri {
    return tablePath(this.#table.root, path, this.#metadata.location);
  }

  /** @param deletes undefined for a file whose deleted rows are not needed */
  #dataFile(file: ManifestFile, fields: readonly TableField[], deletes: RowDeletes | undefined): DataFile {
    const uri = this.#fileAt(file.path);
    return {
      kind: 'file',
      path: shownUri(uri),
      uri,
      storage: this.#table.storage,
      constants: this.#partitionOf(file, fields),
      fields,
      matching: (stored) => this.#matching(stored),
      deletedRows: async (stored) => deletes?.of(file, stored),
    };
  }

  /** Returns the values of the columns by which the rows are divided into files as they are. */
  #partitionOf({ specId, partition }: ManifestFile, fields: readonly TableField[]): Map<string, Constant> {
    const constants = new Map<string, Constant>();
    for (const [id, source] of this.#metadata.spec(specId).identities) {
      const field = fields.find((one) => one.id === source);
      if (field?.type.kind !== 'value' || !partition.has(id)) continue;
      constants.set(field.name, { element: field.type.element, raw: rawOf(partition.get(id)) });
    }
    return constants;
  }

  #matching(file: ParquetFile): Matching {
    if (hasFieldIds(file.metadata)) return 'id';
    if (this.#metadata.hasNameMapping) return 'name';
    throw new Error('its columns have no ids, and the table has no name mapping');
  }
}

/** Returns a value of a partition as a Parquet file would store it. */
function rawOf(value: AvroValue | undefined): RawValue | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? Buffer.from(value) : (value as RawValue);
}
