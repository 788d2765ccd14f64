import { HeadraceError } from 'headrace/engine';
import type { FileUri } from 'headrace/storage';

/**
 * Returns the file that the log of a table names. Throws if it is outside the folder of the table: who writes a table
 * must not decide which other files of the reader are read.
 * @param path relative to the table, or a URI; not escaped
 * @param location where the table was when its log was written, if the log says so
 */
export function tablePath(root: FileUri, path: string, location?: string): FileUri {
  const folder = root.path.replace(/\/$/, '');
  const inside = insideOf(path, [...(location === undefined ? [] : [location]), uriText({ ...root, path: folder })]);
  if (inside === undefined || inside.split('/').includes('..')) {
    throw new HeadraceError(
      'HR_SOURCE_UNREADABLE',
      `The log of the table ${root.path} names a file outside its folder: ${path.slice(0, MAX_SHOWN)}`,
      { hint: 'Shallow clones and tables with files in several places are not read. Copy the table with its files.' },
    );
  }
  return { ...root, path: `${folder}/${inside}` };
}

const MAX_SHOWN = 200;

/** Returns the path below one of the locations; undefined if it is not below them. */
function insideOf(path: string, locations: readonly string[]): string | undefined {
  for (const location of locations) {
    const prefix = `${plainUri(location).replace(/\/$/, '')}/`;
    if (plainUri(path).startsWith(prefix)) return plainUri(path).slice(prefix.length);
  }
  return /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path) ? undefined : path;
}

/** The same file has several forms: s3a://b/k and s3://b/k, file:/x, file:///x and /x, ./x and x. */
function plainUri(uri: string): string {
  return uri
    .replace(/^\.\//, '')
    .replace(/^s3[an]:/i, 's3:')
    .replace(/^file:(?:\/\/(?=\/))?/i, '');
}

function uriText({ scheme, authority, path }: FileUri): string {
  return scheme === 'file' ? path : `${scheme}://${authority}${path}`;
}

/** Returns the URI of a file for messages. */
export function shownUri(uri: FileUri): string {
  return uri.scheme === 'file' ? `file://${uri.path}` : uriText(uri);
}
