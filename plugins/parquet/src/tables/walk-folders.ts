import type { FileUri, Storage, StoredFile } from 'headrace/storage';
import type { Comparison } from '../reading/row-filter.ts';
import { type Constant, mayPass } from './constant.ts';
import { filesAt, filesIn } from './folder-listing.ts';
import { type Partitions, type PartitionType, PartitionTypes, partitionsOf } from './partition-folders.ts';
import { nameOf, type TableKind, tableKind } from './table-kind.ts';

/** How folders are read. */
export interface WalkOptions {
  /** Whether the names of folders are columns. Otherwise they are only names. */
  readonly partitions: boolean;
  readonly partitionTypes: ReadonlyMap<string, PartitionType> | undefined;
  /** Folders whose columns do not pass are not listed. */
  readonly filter: readonly Comparison[];
  /** Returns whether a folder may contain wanted files. */
  mayContain(path: string): boolean;
  isWanted(path: string): boolean;
  /** Returns whether a file or a folder is omitted because of its name. */
  isHidden(name: string): boolean;
  /** True if the first file or table is enough. */
  readonly onlyFirst: boolean;
  /** Called with a folder that the filter excludes. */
  onExcluded(path: string): void;
  /** Called with a value such as 00123 that becomes a number. */
  onLostZeros(file: string, column: string, text: string): void;
  onProblem(uri: string, error: unknown): void;
  readonly signal: AbortSignal;
}

/** A file, or a table that replaces the files of its folder. */
export type Found =
  | { readonly kind: 'file'; readonly file: StoredFile; readonly constants: ReadonlyMap<string, Constant> }
  | { readonly kind: 'table'; readonly table: TableKind; readonly root: FileUri };

/** About as many files are kept in memory. Folders with more are listed twice. */
const KEPT_FILES = 20_000;

/** A folder that was listed. */
interface Folder {
  readonly uri: FileUri;
  readonly partitions: Partitions;
  table?: TableKind | undefined;
  /** Undefined if there are too many. */
  files?: StoredFile[];
}

/**
 * Finds the files at a path and below. Folders are listed level by level, because the type of a partition column is
 * known when all folders of its level are known, and it decides which folders pass the filter.
 * @param known the columns in the names of the folders above
 */
export async function* walkFolders(
  storage: Storage,
  start: FileUri,
  known: Partitions,
  options: WalkOptions,
): AsyncGenerator<Found> {
  const { signal, onlyFirst } = options;
  const types = new PartitionTypes(options.partitionTypes);
  const folders: Folder[] = [];
  let kept = 0;
  let level: Folder[] = [{ uri: start, partitions: options.partitions ? known : new Map() }];
  while (level.length > 0) {
    for (const { partitions } of level) types.note(partitions);
    const next: Folder[] = [];
    for (const folder of level) {
      if (signal.aborted) return;
      if (!mayPass(types.constantsOf(folder.partitions), options.filter)) {
        options.onExcluded(folder.uri.path);
        continue;
      }
      const { files, subfolders } = await listFolder(storage, folder, folder.uri === start, options);
      const names = subfolders.map(nameOf);
      folder.table = await tableKind(storage, folder.uri, names, signal);
      // In an object store, a path may be the beginning of names. A table is only read if it is at the path or below.
      if (folder.table !== undefined && !isBelow(folder.uri, start)) continue;
      folders.push(folder);
      if (folder.table !== undefined) continue;
      kept += files.length;
      if (kept <= KEPT_FILES) folder.files = files;
      for (const [i, uri] of subfolders.entries()) {
        const name = names[i] as string;
        if (options.isHidden(name) || !options.mayContain(uri.path)) continue;
        const partitions = options.partitions ? partitionsOf(name, folder.partitions) : folder.partitions;
        next.push({ uri, partitions });
      }
      if (onlyFirst && files.length > 0) break;
    }
    const isFound = folders.some(({ table, files }) => table !== undefined || files === undefined || files.length > 0);
    // For one file, one folder of each level is enough.
    level = !onlyFirst ? next : isFound ? [] : next.slice(0, FEW_FOLDERS);
  }
  const own = folders.find(({ uri, table }) => table !== undefined && isBelow(start, uri));
  for (const folder of own === undefined ? folders : [own]) {
    if (folder.table !== undefined) {
      const root = { ...folder.uri, path: folder.uri.path.replace(/(?<=.)\/$/, '') };
      yield { kind: 'table', table: folder.table, root };
      continue;
    }
    const constants = types.constantsOf(folder.partitions);
    const losing = types.losingZeros(folder.partitions);
    const files = folder.files ?? wantedFiles(storage, folder, folder.uri === start, options);
    for await (const file of files) {
      for (const [column, text] of losing) options.onLostZeros(file.path, column, text);
      yield { kind: 'file', file, constants };
    }
  }
}

/** Returns whether a path is another one, or below it. */
function isBelow({ path }: FileUri, start: FileUri): boolean {
  return path.replace(/\/?$/, '/').startsWith(start.path.replace(/\/?$/, '/'));
}

/** How many folders of a level are listed to find one file. */
const FEW_FOLDERS = 10;

async function listFolder(storage: Storage, folder: Folder, isStart: boolean, options: WalkOptions) {
  const subfolders: FileUri[] = [];
  const files: StoredFile[] = [];
  const calls = { onFolder: (uri: FileUri) => void subfolders.push(uri), onProblem: options.onProblem };
  const list = isStart ? filesAt : filesIn;
  for await (const file of list(storage, folder.uri, options.signal, calls)) {
    if (isWantedFile(file, folder, options)) files.push(file);
    if (files.length > KEPT_FILES) files.length = KEPT_FILES + 1;
  }
  return { files, subfolders };
}

async function* wantedFiles(storage: Storage, folder: Folder, isStart: boolean, options: WalkOptions) {
  const list = isStart ? filesAt : filesIn;
  for await (const file of list(storage, folder.uri, options.signal, { onProblem: () => {} })) {
    if (isWantedFile(file, folder, options)) yield file;
  }
}

/** A file that the config names is wanted with any name. */
function isWantedFile({ uri }: StoredFile, { uri: folder }: Folder, options: WalkOptions): boolean {
  return uri.path === folder.path || (!options.isHidden(nameOf(uri)) && options.isWanted(uri.path));
}
