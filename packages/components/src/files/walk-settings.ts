import { basename, dirname } from 'node:path';
import type { ParameterProblem } from '@headrace/engine';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { MOVES, type MoveSettings } from '../local-files/moved-files.ts';
import { type FileUri, localFileUri, parseConfigUri, parseFileUri, s3ObjectUri } from '../storage/file-uri.ts';
import type { StorageSettings } from '../storage/storage-parameters.ts';
import { unreadableScheme } from '../storage/storages.ts';
import { FileFilter, type FilterSettings } from './file-filter.ts';

/** Reports mistakes in the start paths, and in the folders that files are moved to. */
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
        hint: `A path is parsed as a URI: ${uri.mistake}.`,
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
        message: `${path} means the local path ${uri.path}: "${host}" is read as a host name and ignored`,
        hint: 'Write file:///folder with three slashes, or a relative path without the prefix file:.',
      };
    }
    yield* checkMoves(uri, moves);
  }
  if (paths.length > 1 && MOVES.some((name) => moves[name] !== undefined)) {
    yield {
      parameter: 'paths',
      message: 'Files can be moved after processing only when there is a single path',
      hint: 'Use one FileConnector for each path.',
    };
  }
  for (const [i, path] of filter.pathsToSkip.entries()) {
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

/** Returns the paths of a config that are on this machine, without the scheme. */
export function localPaths(paths: readonly string[]): string[] {
  return paths.flatMap((text) => {
    const uri = parseConfigUri(text);
    return 'mistake' in uri || uri.scheme !== 'file' ? [] : [uri.path];
  });
}

/**
 * Returns whether a walk would find and publish a local file, given as an absolute path, because of the folder it is
 * in.
 */
export function walkMeets(
  file: string,
  paths: readonly string[],
  moves: MoveSettings,
  { lastModifiedCutoff, lastPublishedCutoff, ...settings }: FilterSettings,
): boolean {
  const filter = new FileFilter({ ...settings, publishMode: 'full' }, 0n, true);
  if (!filter.accepts({ name: basename(file), modified: 0n, lastPublished: undefined })) return false;
  const skipped = skippedFolders(moves, settings);
  const walked: string[] = [];
  for (let at = dirname(file); !skipped.has(localFileUri(at)); at = dirname(at)) {
    walked.push(at);
    if (at === dirname(at)) break;
  }
  // A walk does not enter a skipped folder. It reaches a file below one only if it starts below that folder.
  return localPaths(paths).some((start) => walked.includes(start));
}

/** Parses a local path or the URI of a folder. Returns undefined if the text is empty or not a valid URI. */
export function folderUri(text: string | undefined): FileUri | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parseFileUri(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the URIs of the folders that a walk skips, in the form that listings use: the folders that the config names,
 * and the target folders of moves. Otherwise a run would publish the moved files again.
 */
export function skippedFolders(moves: MoveSettings, { pathsToSkip }: FilterSettings): ReadonlySet<string> {
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

/** Returns the target folders of moves that are on this machine, as paths. */
export function localMoves(moves: MoveSettings): MoveSettings {
  return Object.fromEntries(
    MOVES.flatMap((name) => {
      const uri = folderUri(moves[name]);
      return uri?.scheme === 'file' ? [[name, uri.path]] : [];
    }),
  );
}
