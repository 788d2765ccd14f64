import type { FileUri, StoredFile } from 'headrace/storage';

/** The files of a log that state a version of the table. */
export interface LogSegment {
  readonly version: number;
  /** The parts of the checkpoint; empty if there is none. */
  readonly checkpoint: readonly FileUri[];
  /** The commits after the checkpoint, in order. */
  readonly commits: readonly FileUri[];
}

const COMMIT = /\/(\d{20})\.json$/;
const CHECKPOINT = /\/(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?(?:\.[0-9a-f-]{36})?\.(?:parquet|json)$/i;

/** The files of a log, by their names. (Source: PROTOCOL.md of Delta Lake, "Delta Log Entries", "Checkpoints".) */
export class LogFiles {
  readonly #commits = new Map<number, StoredFile>();
  /** The parts of each checkpoint, by its version and the number of its parts. */
  readonly #checkpoints = new Map<number, Map<number, Map<number, FileUri>>>();

  add(file: StoredFile): void {
    const { path } = file.uri;
    const commit = COMMIT.exec(path);
    if (commit !== null) this.#commits.set(Number(commit[1]), file);
    const [, version, part = '1', parts = '1'] = CHECKPOINT.exec(path) ?? [];
    if (version === undefined) return;
    const kinds = this.#checkpoints.get(Number(version)) ?? new Map<number, Map<number, FileUri>>();
    this.#checkpoints.set(Number(version), kinds);
    const found = kinds.get(Number(parts)) ?? new Map<number, FileUri>();
    kinds.set(Number(parts), found.set(Number(part), file.uri));
  }

  /** The newest version; -1 if there is none. */
  get newest(): number {
    return Math.max(-1, maximum(this.#commits.keys()), maximum(this.#checkpoints.keys()));
  }

  /** The commits of the versions that can be read, in order. */
  get commits(): (readonly [version: number, file: StoredFile])[] {
    return [...this.#commits].toSorted(([a], [b]) => a - b);
  }

  /** Returns the files that state a version. Throws if one is missing. */
  segment(version: number): LogSegment {
    if (version > this.newest) throw new Error(`it has no version ${version}: the newest one is ${this.newest}`);
    const [from, checkpoint] = this.#checkpointUpTo(version) ?? [-1, []];
    const commits: FileUri[] = [];
    for (let number = from + 1; number <= version; number++) {
      const commit = this.#commits.get(number);
      if (commit === undefined) {
        const what =
          from < 0 ? 'no checkpoint before it is complete' : `the last checkpoint before it is that of ${from}`;
        throw new Error(`its version ${version} cannot be read: the commit ${number} is missing, and ${what}`);
      }
      commits.push(commit.uri);
    }
    return { version, checkpoint, commits };
  }

  #checkpointUpTo(version: number): readonly [version: number, files: FileUri[]] | undefined {
    const versions = [...this.#checkpoints.keys()].filter((one) => one <= version).toSorted((a, b) => b - a);
    for (const one of versions) {
      for (const [parts, files] of this.#checkpoints.get(one) ?? []) {
        // A checkpoint is complete if it has all its parts.
        if (files.size === parts) return [one, [...files].toSorted(([a], [b]) => a - b).map(([, uri]) => uri)];
      }
    }
    return undefined;
  }
}

function maximum(numbers: Iterable<number>): number {
  let found = -1;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}
