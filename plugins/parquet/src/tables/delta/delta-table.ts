import { HeadraceError, holdMemory, type Logger, type MemoryHold, messageOf } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';
import type { ParquetFile } from '../../reading/parquet-file.ts';
import { type Constant, constantOf } from '../constant.ts';
import type { DataFile, TableVersion } from '../data-file.ts';
import type { FoundTable } from '../find-files.ts';
import { hasFieldIds } from '../fit-columns.ts';
import { filesIn } from '../folder-listing.ts';
import type { TableField } from '../table-field.ts';
import { inFolder } from '../table-kind.ts';
import { shownUri, tablePath } from '../table-path.ts';
import { readCheckpoint } from './checkpoint.ts';
import { deltaFields, type MappingMode } from './delta-schema.ts';
import { deltaDeletedRows } from './delta-vectors.ts';
import { type AddedFile, keyOf, type Metadata, type Protocol, readActions } from './log-actions.ts';
import { LogFiles, type LogSegment } from './log-files.ts';

/** What a table may need of its readers. (Source: PROTOCOL.md of Delta Lake, "Valid Feature Names in Table Features".) */
const FEATURES = new Set([
  'columnMapping',
  'deletionVectors',
  'timestampNtz',
  'typeWidening',
  'typeWidening-preview',
  'v2Checkpoint',
  'vacuumProtocolCheck',
]);

/** Reads the log of a Delta table, and returns the files of a version. */
export async function* deltaFiles(
  table: FoundTable,
  at: TableVersion,
  logger: Logger,
  signal: AbortSignal,
): AsyncGenerator<DataFile> {
  const memory = holdMemory(`the log of ${table.root.path}`);
  try {
    const log = new DeltaLog(table, memory, signal);
    const segment = await log.segment(at);
    logger.info(`Reading version ${segment.version} of the Delta table ${table.root.path}`, {});
    yield* log.files(segment);
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `The Delta table ${table.root.path}: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    memory.release();
  }
}

/** The columns of a version of a table. */
interface Snapshot {
  readonly fields: readonly TableField[];
  readonly partitions: readonly TableField[];
  readonly mode: MappingMode;
}

class DeltaLog {
  readonly #root: FileUri;
  readonly #folder: FileUri;
  readonly #storage: Storage;
  readonly #memory: MemoryHold;
  readonly #signal: AbortSignal;

  constructor({ root, storage }: FoundTable, memory: MemoryHold, signal: AbortSignal) {
    this.#root = root;
    this.#folder = inFolder(root, '_delta_log');
    this.#storage = storage;
    this.#memory = memory;
    this.#signal = signal;
  }

  /** Finds the files that state a version. */
  async segment({ version, millis }: TableVersion): Promise<LogSegment> {
    const files = new LogFiles();
    for await (const file of filesIn(this.#storage, this.#folder, this.#signal)) files.add(file);
    if (files.newest < 0) throw new Error('its log has no commits');
    if (millis !== undefined) return files.segment(await this.#versionAt(files, millis));
    return files.segment(version === undefined ? files.newest : Number(version));
  }

  async *files({ checkpoint, commits }: LogSegment): AsyncGenerator<DataFile> {
    /** The files that a newer commit has added or removed. */
    const seen = new Set<string>();
    const added: AddedFile[] = [];
    let protocol: Protocol | undefined;
    let metadata: Metadata | undefined;
    for (const commit of commits.toReversed()) {
      for await (const action of readActions(this.#storage, commit)) {
        if (action.kind === 'metaData') metadata ??= action.metadata;
        if (action.kind === 'protocol') protocol ??= action.protocol;
        if (action.kind !== 'add' && action.kind !== 'remove') continue;
        const key = action.kind === 'add' ? keyOf(action.file) : action.key;
        if (seen.has(key)) continue;
        await this.#memory.take(ENTRY_BYTES + 2 * key.length);
        seen.add(key);
        if (action.kind === 'add') added.push(action.file);
      }
      if (this.#signal.aborted) return;
    }
    const sidecars: FileUri[] = [];
    for (const uri of checkpoint) {
      for await (const action of readCheckpoint(this.#storage, uri, ['metaData', 'protocol', 'sidecar'])) {
        if (action.kind === 'metaData') metadata ??= action.metadata;
        if (action.kind === 'protocol') protocol ??= action.protocol;
        if (action.kind === 'sidecar') sidecars.push(this.#sidecar(action.path));
      }
    }
    if (protocol === undefined || metadata === undefined) throw new Error('its log states no schema');
    const snapshot = snapshotOf(protocol, metadata);
    for (const uri of [...checkpoint, ...sidecars]) {
      for await (const action of readCheckpoint(this.#storage, uri, ['add'])) {
        if (action.kind === 'add' && !seen.has(keyOf(action.file))) yield this.#dataFile(action.file, snapshot);
      }
    }
    for (const file of added.toReversed()) yield this.#dataFile(file, snapshot);
  }

  /** Returns the newest version that is not newer than a time. */
  async #versionAt(files: LogFiles, millis: number): Promise<number> {
    const commits = files.commits;
    let [low, high] = [0, commits.length];
    // The times of commits grow.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((await this.#commitMillis(commits[middle] as (typeof commits)[number])) <= millis) low = middle + 1;
      else high = middle;
    }
    const found = commits[low - 1];
    if (found === undefined) throw new Error(`its oldest version that can be read is newer than ${isoOf(millis)}`);
    return found[0];
  }

  /** The time is in the commit. Files that were copied have another time. */
  async #commitMillis([, { uri, modified }]: LogFiles['commits'][number]): Promise<number> {
    for await (const action of readActions(this.#storage, uri)) {
      if (action.kind === 'commitInfo' && action.millis !== undefined) return action.millis;
    }
    return Number(modified / 1_000_000n);
  }

  #sidecar(path: string): FileUri {
    return tablePath(inFolder(this.#folder, '_sidecars'), decodeURIComponent(path));
  }

  #dataFile(added: AddedFile, { fields, partitions, mode }: Snapshot): DataFile {
    const uri = tablePath(this.#root, decodeURIComponent(added.path));
    const constants = new Map<string, Constant>();
    for (const { name, fileNames, type } of partitions) {
      const text = added.partitionValues.get(fileNames[0] as string);
      if (text === undefined) throw new Error(`its log states no value of the column ${name} for ${added.path}`);
      if (type.kind !== 'value') throw new Error(`its partition column ${name} has objects`);
      const isTimestamp = type.element.logical_type?.type === 'TIMESTAMP';
      constants.set(name, constantOf(text === '' ? null : isTimestamp ? instantOf(text) : text, type.element));
    }
    const { vector } = added;
    return {
      kind: 'file',
      path: shownUri(uri),
      uri,
      storage: this.#storage,
      constants,
      fields,
      matching: (file) => (mode === 'id' ? idMatching(file) : 'name'),
      deletedRows: async (file) =>
        vector === undefined ? undefined : deltaDeletedRows(this.#storage, this.#root, vector, file.rows),
    };
  }
}

/** About the memory of an entry of a set or a list. */
const ENTRY_BYTES = 200;

function snapshotOf(
  { minReaderVersion, readerFeatures }: Protocol,
  { schemaString, partitionColumns, configuration }: Metadata,
): Snapshot {
  if (!(minReaderVersion >= 1 && minReaderVersion <= 3)) {
    throw new Error(`it needs readers of the protocol version ${minReaderVersion}, and 3 is supported`);
  }
  const unknown = minReaderVersion < 3 ? [] : readerFeatures.filter((feature) => !FEATURES.has(feature));
  if (unknown.length > 0) throw new Error(`it needs the reader feature ${unknown.join(', ')}, which is not supported`);
  const mode = minReaderVersion < 2 ? 'none' : (configuration.get('delta.columnMapping.mode') ?? 'none');
  if (mode !== 'none' && mode !== 'name' && mode !== 'id') throw new Error(`its column mapping ${mode} is not known`);
  const fields = deltaFields(schemaString, mode);
  const partitions = partitionColumns.map((column) => {
    const field = fields.find(({ name }) => name === column);
    if (field === undefined) throw new Error(`its partition column ${column} is not in its schema`);
    return field;
  });
  return { fields, partitions, mode };
}

function idMatching(file: ParquetFile): 'id' {
  if (!hasFieldIds(file.metadata))
    throw new Error('its columns have no ids, which the column mapping of the table needs');
  return 'id';
}

/** Writers use a blank or a T, and some a Z. */
function instantOf(text: string | null): string | null {
  return text?.replace(' ', 'T') ?? null;
}

function isoOf(millis: number): string {
  return new Date(millis).toISOString();
}
