import { resolve } from 'node:path';
import { HeadraceError } from '@headrace/engine';

/** Where a file or a folder is, taken apart. */
export interface FileUri {
  /** In lower case; `file` for a plain path. */
  readonly scheme: string;
  /** The bucket, or the host; empty for local files. */
  readonly authority: string;
  /** The absolute local path, or the part after the authority, with its leading slash. Decoded. */
  readonly path: string;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i;
/** What `java.net.URI` refuses unescaped, and a percent sign without two digits after it. */
const ILLEGAL = /[\u0000-\u0020"<>\\^`{|}\u007f]|%(?![0-9a-f]{2})/i;

/**
 * Parses a path or URI leniently: a text without a scheme is a literal local path, relative to the working directory;
 * in a URI, valid escapes are decoded. `C:\x` is a path.
 */
export function parseFileUri(text: string): FileUri {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || (scheme.length === 1 && text[2] === '\\')) return localUri(text);
  const [, authority = '', path = ''] = /^[^:]*:(?:\/\/([^/]*))?(.*)$/s.exec(text) as RegExpExecArray;
  if (scheme !== 'file') return { scheme, authority, path: decodeEscapes(path) };
  if (!path.startsWith('/')) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${text} has no absolute path`, {
      hint: 'Write file:///folder/file, or a relative path without file: in front.',
    });
  }
  return localUri(decodeEscapes(path));
}

/**
 * Takes a path of a config apart, which the reference reads as a URI always: a local path too is decoded, so that a
 * blank is `%20` in it. Returns the mistake if it is not a URI.
 */
export function parseConfigUri(text: string): FileUri | { readonly mistake: string } {
  const at = text.search(ILLEGAL);
  if (at >= 0 || text === '') {
    const character = text[at] ?? '';
    return {
      mistake:
        text === ''
          ? 'it is empty'
          : `illegal character "${character}" at index ${at}: write it as ${escaped(character)}`,
    };
  }
  try {
    return SCHEME.test(text) ? parseFileUri(text) : localUri(decodeEscapes(text));
  } catch (error) {
    return { mistake: (error as HeadraceError).message };
  }
}

function localUri(path: string): FileUri {
  return { scheme: 'file', authority: '', path: resolve(path) };
}

function escaped(character: string): string {
  return encodeURIComponent(character);
}

/** The text of UTF-8 escapes; invalid escapes stay. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  }
}

/**
 * The full path of a local file: `file://` and the path, escaped as `java.io.File.toURI` does it, because ids are made
 * of it.
 *
 * @param path absolute, with slashes
 */
export function localFileUri(path: string): string {
  return `file://${encodeURI(path).replace(/[?#]/g, (c) => (c === '?' ? '%3F' : '%23'))}`;
}

/** The full path of an object of S3: of ASCII what a local path escapes is escaped, all else stays. */
export function s3ObjectUri(bucket: string, key: string): string {
  return `s3://${bucket}/${key.replace(/[\u0000-\u0020"#%<>?[\\\]^`{|}\u007f]/g, encodeURIComponent)}`;
}

/** The last part of a path, slashes as separators. */
export function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The text after the last dot of a name, as it is; undefined without a dot. */
export function extensionOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : name.slice(dot + 1);
}
