import { type CheckResult, counted } from '@headrace/engine';
import type { CollectionTarget } from './collection-target.ts';
import type { LiveChanges } from './live-changes.ts';
import { type ForeignWrites, foreignCheck } from './live-writes.ts';
import type { Log } from './types.ts';

/** The content of the live collections, as far as changes of it are seen. */
export interface CollectionState {
  readonly collections: readonly string[];
  /** The highest `_version_`, which each written document raises. Solr numbers all writes by the time. */
  readonly version: number;
  readonly documents: number;
}

interface WatchedOptions {
  readonly target: CollectionTarget;
  readonly foreignWrites: ForeignWrites;
  readonly log: Log;
  /** Calls a function while no other run of the process has a request in flight. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Finds out whether others change the live collection during a rebuild. The runs of this process do not write to it
 * meanwhile, so nothing is replayed.
 */
export class WatchedCollection implements LiveChanges {
  readonly #options: WatchedOptions;
  readonly #before: CollectionState;

  private constructor(options: WatchedOptions, before: CollectionState) {
    this.#options = options;
    this.#before = before;
  }

  static async open(options: WatchedOptions): Promise<WatchedCollection> {
    return new WatchedCollection(options, await options.target.state());
  }

  async replay(): Promise<number> {
    return 0;
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#options.exclusively(work);
  }

  async check(): Promise<CheckResult[]> {
    const { target, foreignWrites, log } = this.#options;
    const found = changeOf(this.#before, await target.state());
    return [foreignCheck(found !== undefined, found ?? 'none', foreignWrites, log)];
  }

  close(): void {
    this.#options.close();
  }
}

/** Returns what has changed, or undefined if nothing has. */
function changeOf(before: CollectionState, now: CollectionState): string | undefined {
  const where = before.collections.join(', ');
  if (now.collections.join() !== before.collections.join())
    return `the alias pointed to ${where || 'no collection'}, and now to ${now.collections.join(', ') || 'none'}`;
  if (now.version > before.version) return `documents of ${where} were written, which the new collection lacks`;
  const deleted = before.documents - now.documents;
  return deleted === 0 ? undefined : `${where} has ${counted(deleted, 'document')} fewer than when the rebuild began`;
}
