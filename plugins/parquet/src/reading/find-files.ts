import { matchesGlob } from 'node:path';
import { type ConnectorContext, HeadraceError, messageOf, type ParameterProblem, withDefaults } from 'headrace/engine';
import {
  type FileUri,
  parseConfigUri,
  type Storage,
  type StorageSettings,
  type Storages,
  s3Parameters,
  unreadableScheme,
} from 'headrace/storage';

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
  /** The full path, a URI, for messages. */
  readonly path: string;
  readonly uri: FileUri;
  readonly storage: Storage;
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

/**
 * Finds the files of the places, in their order. Warns about folders that cannot be read, and about each of several
 * places that has no files.
 */
export async function* findFiles(
  params: SourceParameters,
  storages: Storages,
  { log, notices }: Pick<ConnectorContext, 'log' | 'notices'>,
  signal: AbortSignal,
): AsyncGenerator<FoundFile> {
  const sources = sourcesOf(params);
  for (const { text, uri, isPattern } of sources) {
    if ('mistake' in uri) throw new HeadraceError('HR_SOURCE_UNREADABLE', `${text} is not a path: ${uri.mistake}`);
    const storage = await storages.of(uri);
    const start = isPattern ? { ...uri, path: folderBefore(uri.path) } : uri;
    const options = {
      skips: (folder: string) => isPattern && !mayContain(folder, uri.path),
      onProblem: (path: string, error: unknown) => log.warn(`${path} is skipped: ${messageOf(error)}`, {}),
      signal,
    };
    let isEmpty = true;
    try {
      for await (const found of storage.list(start, options)) {
        // A pattern selects files by itself. Otherwise all files of a folder with the right name are read.
        const wanted = isPattern ? matchesGlob(found.uri.path, uri.path) : found.uri.path.endsWith('parquet');
        if (!wanted && found.uri.path !== uri.path) continue;
        isEmpty = false;
        if (found.archive !== undefined) {
          const hint = `It is archived (${found.archive}). Restore it with the tools of the provider.`;
          notices.report('file.archived', { file: found.path, hint });
          continue;
        }
        yield { path: found.path, uri: found.uri, storage };
      }
      if (isEmpty && sources.length > 1 && !signal.aborted) log.warn(`There is no Parquet file at ${text}`, {});
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read ${text}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Returns the folders of a pattern before its first part with a wildcard. */
function folderBefore(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => WILDCARD.test(part));
  return `${parts.slice(0, first).join('/')}/`;
}

/** Returns whether the folder with this URI may contain files that match the pattern. */
function mayContain(folder: string, pattern: string): boolean {
  // The parts of an escaped folder are unknown here, and braces of a pattern may contain slashes.
  if (folder.includes('%') || pattern.includes('{')) return true;
  const path = folder.replace(/^[^:]*:\/\/[^/]*|\/$/g, '');
  const wanted = pattern.split('/');
  const parts = path.split('/');
  const anyFolders = wanted.indexOf('**');
  const fixed = anyFolders < 0 ? wanted.length - 1 : anyFolders;
  if (anyFolders < 0 && parts.length > fixed) return false;
  return parts.slice(0, fixed).every((part, i) => matchesGlob(part, wanted[i] ?? ''));
}
