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
   * What can be said of a path as it is written, without a look at the disk: the reason why it may not be read or
   * written; undefined when it may be.
   */
  refusedText(path: string, access: FileAccess): string | undefined {
    return this.#refused(resolve(path), access);
  }

  /**
   * Where a path leads, links followed, and the reason why that may not be read or written.
   * @returns the real path: who opens that, without following a link at its end, opens what was looked at
   */
  look(path: string, access: FileAccess): { readonly real: string; readonly refused: string | undefined } {
    const real = realPath(resolve(path));
    // The text too, or a link could not be told from a file that is missing: the answer would tell what there is.
    return { real, refused: this.refusedText(path, access) ?? this.#refused(real, access) };
  }

  /** A path inside a directory, or the directory itself, that may never be read; undefined when there is none. */
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

/** The path with the links on it followed; of what does not exist yet, those on the way there. */
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

/** Paths as they are written and where they lead. */
function withReal(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), realPath(resolve(path))]))];
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
