/** What is known of a file that was met in an earlier run and is not there any more. */
export interface ExpiredFile {
  readonly path: string;
}

/**
 * What a connector remembers of files from run to run, by full path: when each was last published, and for how many
 * runs it has not been met. All but `published` is about the traversal that is going.
 */
export interface FileState {
  /** Begins a traversal: no file has been met. */
  begin(): void | Promise<void>;
  /** A file was met. Gives when it was last published, in nanoseconds since the epoch; undefined if it never was. */
  encounter(path: string): bigint | undefined | Promise<bigint | undefined>;
  /** All files whose paths begin like this count as met, without having been looked at. */
  encounterBelow(prefix: string): void | Promise<void>;
  /** Ends a traversal that has met all there is: the others have not been met once more. */
  finish(): void | Promise<void>;
  /** Files that have not been found for at least so many traversals, and have not been reported. */
  expired(runs: number): Iterable<ExpiredFile> | AsyncIterable<ExpiredFile>;
  /** All documents of these files have finished. @param instant of the publishing, in nanoseconds since the epoch */
  published(paths: readonly string[], instant: bigint): void | Promise<void>;
  /** These files are gone on purpose: nothing is to be said of them. */
  forget(paths: readonly string[]): void | Promise<void>;
  /** Expired files have been reported. @param forget whether to remove them */
  reportExpired(runs: number, forget: boolean): void | Promise<void>;
  close(): void | Promise<void>;
}
