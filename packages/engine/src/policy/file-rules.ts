import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Policy } from './policy.ts';

export type FileAccess = 'read' | 'write';

/** The files that a policy allows configs to read and write. */
export class FileRules {
  readonly #allowed: Readonly<Record<FileAccess, readonly string[] | undefined>>;
  readonly #never: readonly string[];
  readonly #uploads: readonly string[];

  constructor({ read, write, never, uploads }: Policy) {
    this.#allowed = { read: read && withReal(read), write: write && withReal(write) };
    this.#never = withReal(never);
    this.#uploads = withReal(uploads === undefined ? [] : [uploads]);
  }

  /**
   * Checks a path without access to the disk. Returns the reason why it may not be read or written, or undefined if it
   * is allowed.
   */
  refusedText(path: string, access: FileAccess): string | undefined {
    return this.#refused(resolve(path), access);
  }

  /**
   * Returns the real path with links resolved, and the reason why it may not be read or written.
   * @returns `real`: open it without following a link at its end, so that the checked file is the opened file
   */
  look(path: string, access: FileAccess): { readonly real: string; readonly refused: string | undefined } {
    const real = realPath(resolve(path));
    // The path as written must be allowed too. Otherwise the error for a link would differ from the error for a missing
    // file, and show which files exist.
    return { real, refused: this.refusedText(path, access) ?? this.#refused(real, access) };
  }

  /**
   * Returns a path inside a directory, or the directory itself, that no config may read. Returns undefined if all files
   * in it may be read.
   */
  hiddenIn(directory: string): string | undefined {
    const root = realPath(resolve(directory));
    return this.#never.find((path) => isInside(path, root) || isInside(root, path));
  }

  #refused(path: string, access: FileAccess): string | undefined {
    const isUploaded = this.#uploads.some((root) => isInside(path, root));
    if (isUploaded && access === 'read') return undefined;
    if (isUploaded || this.#never.some((root) => isInside(path, root)))
      return 'it belongs to the service or the system';
    const allowed = this.#allowed[access];
    if (allowed === undefined || allowed.some((root) => isInside(path, root))) return undefined;
    return allowed.length === 0
      ? `the policy allows no directory to ${access}`
      : `it is not in a directory that the policy allows to ${access}`;
  }
}

/**
 * Returns the path with links resolved. For a path that does not exist yet, resolves the links of its existing parents.
 */
function realPath(path: string): string {
  let existing = path;
  let rest = '';
  for (;;) {
    try {
      return join(realpathSync.native(existing), rest);
    } catch {
      const parent = dirname(existing);
      if (parent === existing) return path;
      rest = join(basename(existing), rest);
      existing = parent;
    }
  }
}

/** Returns paths as written and their real paths. */
function withReal(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), realPath(resolve(path))]))];
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
