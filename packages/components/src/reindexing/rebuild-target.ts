import type { CheckResult } from '@headrace/engine';
import type { RebuildMark, RebuiltIndex } from './rebuild-mark.ts';
import type { Checks, FinishedRun } from './types.ts';

/** What is built for an alias: the indices of a search engine, or the collections of a SolrCloud. */
export interface RebuildTarget {
  /** The word for what is built, for messages. */
  readonly what: 'index' | 'collection';
  /** The address of the server, for messages. */
  readonly address: string;
  /** Returns the names that the alias points to. Throws if something else than an alias has its name. */
  requireAlias(): Promise<ReadonlySet<string>>;
  /** Returns the names that the alias points to. */
  live(): Promise<ReadonlySet<string>>;
  /** Returns everything that has the mark of a rebuild of the alias, in any order. */
  marked(): Promise<RebuiltIndex[]>;
  /** Creates an index with its mark, in one request. */
  create(index: RebuiltIndex): Promise<void>;
  /** Prepares the new index for the documents, before the first one. Its errors end the rebuild. */
  prepare(name: string): Promise<void>;
  /** Makes all documents visible, and the index ready for searches. */
  complete(name: string, signal: AbortSignal): Promise<void>;
  check(name: string, checks: Checks, run: FinishedRun, signal: AbortSignal): Promise<CheckResult[]>;
  /** Moves the alias to a new index, in one atomic request. Throws if the index is gone. Returns what it replaces. */
  moveToNew(name: string): Promise<ReadonlySet<string>>;
  /**
   * Makes a request of `moveToNew` fail that the server has not executed yet. Its process may have been killed. Undefined
   * if a request cannot be cancelled.
   */
  cancelMove?(name: string): Promise<void>;
  /** Moves the alias to an older index, in one atomic request. */
  moveBack(name: string): Promise<void>;
  changeMark(index: RebuiltIndex, change: Partial<RebuildMark>): Promise<void>;
  /** Removes an index. Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
}
