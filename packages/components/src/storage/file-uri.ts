import { resolve } from 'node:path';
import { HeadraceError } from '@headrace/engine';

/** The parts of the URI of a file or a folder. */
export interface FileUri {
  /** The scheme in lower case; `file` for a plain path. */
  readonly scheme: string;
  /** The bucket, or the host; empty for local files. */
  readonly authority: string;
  /** The absolute local path, or the part after the authority, with its leading slash. Decoded. */
  readonly path: string;
  /** The version of an object, if the URI names one. Otherwise the current version is read. */
  readonly version?: string;
}

/** How the URI of an object names a version, by scheme: the parameter of the provider. */
const VERSION: Readonly<Record<string, RegExp>> = {
  s3: /\?versionId=([^?&#]+)$/,
  gs: /\?generation=(\d+)$/,
  https: /\?versionid=([^?&#]+)$/i,
};

const SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i;
/** Matches the characters that `java.net.URI` rejects unescaped, and a percent sign without two hex digits after it. */
const ILLEGAL = /[\u0000-\u0020"<>\\^`{|}\u007f]|%(?![0-9a-f]{2})/i;

/**
 * Parses a path or URI leniently: a text without a scheme is a literal local path, relative to the working directory;
 * in a URI, valid escapes are decoded. `C:\x` is a path.
 */
export function parseFileUri(text: string): FileUri {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || (scheme.length === 1 && text[2] === '\\')) return localUri(text);
  const [, authority = '', path = ''] = /^[^:]*:(?:\/\/([^/]*))?(.*)$/s.exec(text) as RegExpExecArray;
  if (scheme !== 'file') {
    const named = VERSION[scheme]?.exec(path);
    if (named == null) return { scheme, authority, path: decodeEscapes(path) };
    const version = decodeEscapes(named[1] as string);
    return { scheme, authority, path: decodeEscapes(path.slice(0, named.index)), version };
  }
  if (!path.startsWith('/')) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${text} has no absolute path`, {
      hint: 'Write file:///folder/file, or a relative path without the prefix file:.',
    });
  }
  return localUri(decodeEscapes(path));
}

/**
 * Parses a path of a config. Like the reference, it always reads a path as a URI: escapes in a local path are also
 * decoded, so a blank is written as `%20`. Returns the mistake if the text is not a URI.
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

/** Decodes escapes of UTF-8; invalid escapes stay unchanged. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  }
}

/**
 * Returns the full URI of a local file: `file://` and the path, escaped like `java.io.File.toURI`, because document ids
 * are calculated from it.
 *
 * @param path absolute, with slashes
 */
export function localFileUri(path: string): string {
  return `file://${encodeURI(path).replace(/[?#]/g, (c) => (c === '?' ? '%3F' : '%23'))}`;
}

/** Returns the full URI of an S3 object. ASCII characters are escaped as in a local path, other characters stay. */
export function s3ObjectUri(bucket: string, key: string): string {
  return `s3://${bucket}/${key.replace(/[\u0000-\u0020"#%<>?[\\\]^`{|}\u007f]/g, encodeURIComponent)}`;
}

/** Returns the last part of a path with slashes. */
export function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the text after the last dot of a name, unchanged; undefined without a dot. */
export function extensionOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : name.slice(dot + 1);
}
