import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Policy } from './policy.ts';

export type FileAccess = 'read' | 'write';

/** Which files a policy lets configs read and write. */
export class FileRules {
  readonly #allowed: Readonly<Record<FileAccess, readonly string[] | undefined>>;
  readonly #never: readonly string[];

  constructor({ read, write, never }: Policy) {
    this.#allowed = { read: read && withReal(read), write: write && withReal(write) };
    this.#never = withReal(never);
  }

  /**
   * Checks a path as text, without access to the disk. Returns the reason why it may not be read or written; undefined
   * if it may.
   */
  refusedText(path: string, access: FileAccess): string | undefined {
    return this.#refused(resolve(path), access);
  }

  /**
   * Returns the real path, with links followed, or the reason why it may not be read or written.
   * @returns the real path: open it without following a link at its end, so that the checked file is the opened file
   */
  look(path: string, access: FileAccess): { readonly real: string; readonly refused: string | undefined } {
    const real = realPath(resolve(path));
    // The text must be allowed too. Otherwise the error for a link would differ from the error for a missing file, and
    // show which files exist.
    return { real, refused: this.refusedText(path, access) ?? this.#refused(real, access) };
  }

  /** A path inside a directory, or the directory itself, that may never be read; undefined if there is none. */
  hiddenIn(directory: string): string | undefined {
    const root = realPath(resolve(directory));
    return this.#never.find((path) => isInside(path, root) || isInside(root, path));
  }

  #refused(path: string, access: FileAccess): string | undefined {
    if (this.#never.some((root) => isInside(path, root))) return 'it belongs to the service or the system';
    const allowed = this.#allowed[access];
    if (allowed === undefined || allowed.some((root) => isInside(path, root))) return undefined;
    return allowed.length === 0
      ? `the policy names no directories to ${access}`
      : `it is in none of the directories that the policy names to ${access}`;
  }
}

/** The path with its links followed. For a path that does not exist yet, the links of its existing parents. */
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

/** Paths as written, and their real paths. */
function withReal(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), realPath(resolve(path))]))];
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
