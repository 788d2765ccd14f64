/** A file that an earlier run found and that no longer exists. */
export interface ExpiredFile {
  readonly path: string;
}

/**
 * The facts that a connector remembers about files between runs, by full path: the time of the last publication, and
 * the number of runs that did not find the file. All methods except `published` refer to the current traversal.
 */
export interface FileState {
  /** Begins a traversal: no file has been found yet. */
  begin(): void | Promise<void>;
  /** Marks a file as found. Returns when it was last published, in nanoseconds since the epoch; undefined if never. */
  encounter(path: string): bigint | undefined | Promise<bigint | undefined>;
  /** Marks all files whose paths begin with this prefix as found, without looking at them. */
  encounterBelow(prefix: string): void | Promise<void>;
  /** Ends a complete traversal: adds 1 to the count of missed runs of every file that was not found. */
  finish(): void | Promise<void>;
  /** Returns the files that at least this number of traversals did not find, and that have not been reported yet. */
  expired(runs: number): Iterable<ExpiredFile> | AsyncIterable<ExpiredFile>;
  /**
   * Records that all documents of these files have finished.
   * @param instant when the files were published, in nanoseconds since the epoch
   */
  published(paths: readonly string[], instant: bigint): void | Promise<void>;
  /** Removes files that were moved or deleted on purpose, so that they are not reported as expired. */
  forget(paths: readonly string[]): void | Promise<void>;
  /**
   * Records that the expired files have been reported.
   * @param forget whether to remove them from the state
   */
  reportExpired(runs: number, forget: boolean): void | Promise<void>;
  close(): void | Promise<void>;
}
