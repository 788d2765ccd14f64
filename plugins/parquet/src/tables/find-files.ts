import { matchesGlob } from 'node:path';
import { HeadraceError, messageOf, type Notices, type ParameterProblem, withDefaults } from 'headrace/engine';
import {
  type FileUri,
  parseConfigUri,
  type Storage,
  type StorageSettings,
  type Storages,
  s3Parameters,
  unreadableScheme,
} from 'headrace/storage';
import type { Comparison } from '../reading/row-filter.ts';
import type { Constant } from './constant.ts';
import { type Partitions, type PartitionType, partitionsOf } from './partition-folders.ts';
import { ICEBERG_METADATA, TABLE_NAMES, type TableKind, tableAround } from './table-kind.ts';
import { walkFolders } from './walk-folders.ts';

/** The parameters that say where the files are. */
export interface SourceParameters {
  readonly paths?: readonly string[] | undefined;
  readonly pathToStorage?: string | undefined;
  readonly fsUri?: string | undefined;
  readonly s3Key?: string | undefined;
  readonly s3Secret?: string | undefined;
}

/** A place to read, from the parameters. */
interface Source {
  readonly parameter: string;
  readonly text: string;
  readonly uri: FileUri | { readonly mistake: string };
  /** True if the path has * or ?. */
  readonly isPattern: boolean;
}

export interface FoundFile {
  readonly kind: 'file';
  /** The full path, a URI, for messages. */
  readonly path: string;
  readonly uri: FileUri;
  readonly storage: Storage;
  /** The columns whose value is known without the file. */
  readonly constants: ReadonlyMap<string, Constant>;
}

/** A folder whose log says which of its files are read. */
export interface FoundTable {
  readonly kind: 'table';
  readonly table: TableKind;
  readonly root: FileUri;
  readonly storage: Storage;
  /** The metadata file of an Iceberg table that the config names. */
  readonly metadata?: FileUri;
}

const WILDCARD = /[*?]/;

/** Returns the places to read. */
export function sourcesOf({ paths, pathToStorage, fsUri = 'file:///' }: SourceParameters): Source[] {
  if (pathToStorage !== undefined) {
    const bucket = /^s3[an]?:\/\/([^/]+)/i.exec(fsUri)?.[1];
    const inBucket = pathToStorage.replace(/^s3[an]?:\/\/[^/]+/i, '').replace(/^\/+/, '');
    const text = bucket === undefined ? pathToStorage : `s3://${bucket}/${inBucket}`;
    return [{ parameter: 'pathToStorage', text, uri: parseConfigUri(text), isPattern: false }];
  }
  return (paths ?? []).map((path, i) => {
    const text = path.replace(/^s3[an]:/i, 's3:');
    return {
      parameter: `paths[${i}]`,
      text,
      uri: parseConfigUri(text.replaceAll('?', '%3F')),
      isPattern: WILDCARD.test(text),
    };
  });
}

/** Returns the settings of the storages. The keys of the reference's parameters come before those of the block s3. */
export function storageSettings(params: SourceParameters & StorageSettings): StorageSettings {
  const { s3Key, s3Secret, s3, azure, gcp, fsUri } = params;
  const keys = s3Key === undefined || s3Secret === undefined ? {} : { accessKeyId: s3Key, secretAccessKey: s3Secret };
  const needsS3 = s3 !== undefined || s3Key !== undefined || /^s3/i.test(fsUri ?? '');
  return {
    ...(needsS3 ? { s3: withDefaults(s3Parameters, { ...s3, ...keys }) } : {}),
    ...(azure === undefined ? {} : { azure }),
    ...(gcp === undefined ? {} : { gcp }),
  };
}

/** Reports all mistakes in the places. */
export function* checkSources(params: SourceParameters, settings: StorageSettings): Generator<ParameterProblem> {
  const { paths, pathToStorage, fsUri } = params;
  if ((paths === undefined) === (pathToStorage === undefined)) {
    yield {
      parameter: 'paths',
      message: paths === undefined ? 'paths is missing' : 'paths and pathToStorage are both set',
      hint: 'Set paths, or pathToStorage with fsUri.',
    };
    return;
  }
  if (fsUri !== undefined && !/^(file:|s3[an]?:\/\/[^/]+)/i.test(fsUri)) {
    yield { parameter: 'fsUri', message: `fsUri must be file:/// or s3a://bucket, was ${fsUri}` };
    return;
  }
  for (const { parameter, text, uri } of sourcesOf(params)) {
    if ('mistake' in uri) {
      yield { parameter, message: `${text} is not a path: ${uri.mistake}` };
      continue;
    }
    const problem = unreadableScheme(uri.scheme, settings);
    if (problem !== undefined) yield { ...problem, parameter, message: `${text}: ${problem.message}` };
  }
}

/** How the folders of the places are read. */
export interface FolderSettings {
  readonly partitions: boolean;
  readonly partitionTypes?: ReadonlyMap<string, PartitionType> | undefined;
  readonly filter: readonly Comparison[];
  /** Called with a folder that the filter excludes. */
  onExcluded(path: string): void;
  /** True if the first file or table is enough. */
  readonly onlyFirst?: boolean;
}

/**
 * Finds the files and the tables of the places, in their order. Warns about folders that cannot be read, and about each
 * of several places that has no files.
 */
export async function* findFiles(
  params: SourceParameters,
  settings: FolderSettings,
  storages: Storages,
  notices: Notices,
  signal: AbortSignal,
): AsyncGenerator<FoundFile | FoundTable> {
  const sources = sourcesOf(params);
  for (const source of sources) {
    const { text, uri, isPattern } = source;
    if ('mistake' in uri) throw new HeadraceError('HR_SOURCE_UNREADABLE', `${text} is not a path: ${uri.mistake}`);
    const storage = await storages.of(uri);
    const start = isPattern ? { ...uri, path: folderBefore(uri.path) } : uri;
    const isOmitted = (name: string) => isHidden(name) && !(isPattern && namesHidden(uri.path, name));
    const onProblem = (file: string, error: unknown) => {
      if (isOmitted(file.replace(/\/$/, '').split('/').at(-1) as string)) return;
      notices.report('file.skipped', { file, hint: messageOf(error) });
    };
    const shared = {
      onlyFirst: false,
      partitionTypes: undefined,
      ...settings,
      // A pattern selects files by itself. Otherwise all files of a folder with the right name are read.
      isWanted: (path: string) => (isPattern ? matchesGlob(path, uri.path) : path.endsWith('parquet')),
      mayContain: (folder: string) => !isPattern || mayContain(folder, uri.path),
      isHidden: isOmitted,
      onProblem,
      onLostZeros: (file: string, field: string, value: string) =>
        notices.report('partition.zeros', {
          file,
          field,
          value,
          hint: `Set partitionTypes { ${field}: text }.`,
        }),
      signal,
    };
    let isEmpty = true;
    const onExcluded = (path: string) => {
      isEmpty = false;
      settings.onExcluded(path);
    };
    const options = { ...shared, onExcluded };
    try {
      const around = await tableAround(storage, start, signal);
      if (around?.kind === 'iceberg' && ICEBERG_METADATA.test(uri.path)) {
        yield { kind: 'table', table: 'iceberg', root: around.root, storage, metadata: uri };
        continue;
      }
      if (around !== undefined) throw insideTable(text, TABLE_NAMES[around.kind], around.root);
      for await (const found of walkFolders(storage, start, knownPartitions(source, start), options)) {
        isEmpty = false;
        if (found.kind === 'file') {
          const { file, constants } = found;
          if (file.archive !== undefined) {
            const hint = `It is archived (${file.archive}). Restore it with the tools of the provider.`;
            notices.report('file.archived', { file: file.path, hint });
            continue;
          }
          yield { kind: 'file', path: file.path, uri: file.uri, storage, constants };
          continue;
        }
        const { root, table } = found;
        if (isPattern && !matchesGlob(root.path, uri.path.replace(/\/$/, ''))) {
          throw insideTable(text, TABLE_NAMES[table], root);
        }
        yield { kind: 'table', table, root, storage };
      }
      if (isEmpty && sources.length > 1 && !signal.aborted) {
        notices.report('path.missing', { file: text, hint: 'It has no Parquet file.' });
      }
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read ${text}: ${messageOf(error)}`, { cause: error });
    }
  }
}

function insideTable(text: string, table: string, root: FileUri): HeadraceError {
  return new HeadraceError(
    'HR_SOURCE_UNREADABLE',
    `${text} names files of the ${table} table ${root.path}. Some of them may be deleted or old`,
    { hint: 'Name the folder of the table. Its log says which files are read. Select rows with filter.' },
  );
}

/** As in Spark, such files and folders are those of jobs and logs. `_dt=1` is a partition. */
function isHidden(name: string): boolean {
  return name.startsWith('.') || (name.startsWith('_') && !name.includes('='));
}

/** Returns whether a pattern names files or folders that begin with the first character of a name. */
function namesHidden(pattern: string, name: string): boolean {
  return pattern.split('/').some((part) => part.startsWith(name[0] as string));
}

/** Returns the partition columns of the folders that the config names. Folders above a relative path are no columns. */
function knownPartitions({ text, uri, isPattern }: Source, start: FileUri): Partitions {
  const parts = start.path.split('/').filter((part) => part !== '' && !part.endsWith('parquet'));
  const isRelative = !('mistake' in uri) && uri.scheme === 'file' && !/^(?:\/|file:)/i.test(text);
  const written = (isPattern ? folderBefore(text) : text).split('/').filter((part) => !/^\.{0,2}$/.test(part));
  const named = isRelative ? parts.slice(-written.length || parts.length) : parts;
  return named.reduce<Partitions>((partitions, name) => partitionsOf(name, partitions), new Map());
}

/** Returns the folders of a pattern before its first part with a wildcard. */
function folderBefore(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => WILDCARD.test(part));
  return `${parts.slice(0, first).join('/')}/`;
}

/** Returns whether the folder with this path may contain files that match the pattern, or is a table that matches. */
function mayContain(path: string, pattern: string): boolean {
  // Braces of a pattern may contain slashes.
  if (pattern.includes('{')) return true;
  const wanted = pattern.split('/');
  const parts = path.replace(/\/$/, '').split('/');
  const anyFolders = wanted.indexOf('**');
  const fixed = anyFolders < 0 ? wanted.length : anyFolders;
  if (anyFolders < 0 && parts.length > fixed) return false;
  return parts.slice(0, fixed).every((part, i) => matchesGlob(part, wanted[i] ?? ''));
}
