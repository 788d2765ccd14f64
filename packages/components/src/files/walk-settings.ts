import { basename, dirname } from 'node:path';
import type { ParameterProblem } from '@headrace/engine';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { MOVES, type MoveSettings } from '../local-files/moved-files.ts';
import { type FileUri, localFileUri, parseConfigUri, parseFileUri, s3ObjectUri } from '../storage/file-uri.ts';
import type { StorageSettings } from '../storage/storage-parameters.ts';
import { unreadableScheme } from '../storage/storages.ts';
import { FileFilter, type FilterSettings } from './file-filter.ts';

/** Mistakes in where to start, and where to move files. */
export function* checkPaths(
  paths: readonly string[],
  moves: MoveSettings,
  filter: FilterSettings,
  storages: StorageSettings,
): Generator<ParameterProblem> {
  if (paths.length === 0) {
    yield {
      parameter: 'paths',
      severity: 'warning',
      message: 'paths is empty: nothing is read',
      hint: 'Name files or folders.',
    };
  }
  for (const [i, path] of paths.entries()) {
    const parameter = `paths[${i}]`;
    const uri = parseConfigUri(path);
    if ('mistake' in uri) {
      yield {
        parameter,
        message: `Invalid path to storage: ${path}`,
        hint: `A path is read as a URI: ${uri.mistake}.`,
      };
      continue;
    }
    const problem = unreadableScheme(uri.scheme, storages);
    if (problem !== undefined) yield { ...problem, parameter, message: `${path}: ${problem.message}` };
    const [, host = ''] = /^file:\/\/([^/]+)/i.exec(path) ?? [];
    if (host !== '' && host !== 'localhost') {
      yield {
        parameter,
        severity: 'warning',
        message: `${path} is ${uri.path} of this machine: "${host}" is taken for the name of a host`,
        hint: 'Write file:///folder with three slashes, or a relative path without file: in front.',
      };
    }
    yield* checkMoves(uri, moves);
  }
  if (paths.length > 1 && MOVES.some((name) => moves[name] !== undefined)) {
    yield {
      parameter: 'paths',
      message: 'Files can be moved after processing only when there is a single path',
      hint: 'Use a FileConnector for each of them.',
    };
  }
  for (const [i, path] of (filter.pathsToSkip ?? []).entries()) {
    if (folderUri(path) === undefined) {
      yield { parameter: `filterOptions.pathsToSkip[${i}]`, message: `"${path}" is not a path of a folder` };
    }
  }
}

function* checkMoves(start: FileUri, moves: MoveSettings): Generator<ParameterProblem> {
  for (const name of MOVES) {
    const folder = folderUri(moves[name]);
    if (moves[name] === undefined) continue;
    const parameter = `fileOptions.${name}`;
    if (folder === undefined) yield { parameter, message: `"${moves[name]}" is not a path of a folder` };
    else if (folder.scheme !== start.scheme) {
      yield {
        parameter,
        message: `${parameter} must be in the storage of the path, ${start.scheme}:, was ${folder.scheme}:`,
      };
    }
  }
}

/** Those of the paths of a config that are on this machine, without their scheme. */
export function localPaths(paths: readonly string[]): string[] {
  return paths.flatMap((text) => {
    const uri = parseConfigUri(text);
    return 'mistake' in uri || uri.scheme !== 'file' ? [] : [uri.path];
  });
}

/** Whether a walk would come to a local file, given as an absolute path, and publish it with the folder that it is in. */
export function walkMeets(
  file: string,
  paths: readonly string[],
  moves: MoveSettings,
  { includes = [], excludes = [], pathsToSkip = [] }: FilterSettings,
): boolean {
  const filter = new FileFilter({ includes, excludes }, 0n, true);
  if (!filter.accepts({ name: basename(file), modified: 0n, lastPublished: undefined })) return false;
  const skipped = skippedFolders(moves, { pathsToSkip });
  const walked: string[] = [];
  for (let at = dirname(file); !skipped.has(localFileUri(at)); at = dirname(at)) {
    walked.push(at);
    if (at === dirname(at)) break;
  }
  // A walk does not enter a skipped folder. It reaches a file below one only if it starts below that folder.
  return localPaths(paths).some((start) => walked.includes(start));
}

/** The folder that a text names: a literal local path, or a URI; undefined if it names none. */
export function folderUri(text: string | undefined): FileUri | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parseFileUri(text);
  } catch {
    return undefined;
  }
}

/**
 * The URIs of the folders that are not looked into, as listings give them: those that the config names, and those to
 * which files are moved, or a run would meet again what it has moved.
 */
export function skippedFolders(moves: MoveSettings, { pathsToSkip = [] }: FilterSettings): ReadonlySet<string> {
  const texts = [...pathsToSkip, ...MOVES.flatMap((name) => moves[name] ?? [])];
  return new Set(texts.flatMap((text) => listedUri(folderUri(text)) ?? []));
}

function listedUri(folder: FileUri | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const { scheme, authority, path } = folder;
  if (scheme === 'file') return localFileUri(path);
  const key = withoutEndSlashes(path.slice(1));
  return scheme === 's3' ? s3ObjectUri(authority, key) : `${scheme}://${authority}/${key}`;
}

/** The folders of this machine to which files go, as paths. */
export function localMoves(moves: MoveSettings): MoveSettings {
  return Object.fromEntries(
    MOVES.flatMap((name) => {
      const uri = folderUri(moves[name]);
      return uri?.scheme === 'file' ? [[name, uri.path]] : [];
    }),
  );
}
