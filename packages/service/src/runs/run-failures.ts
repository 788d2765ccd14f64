import { HeadraceError, type KeptFailure, writeFailureLine } from '@headrace/engine';
import { failureGroup } from '../store/failure-group.ts';
import type { Store, StoredFailure } from '../store/store.ts';

/** How many groups are stored at a time. */
const WRITE_GROUPS = 10;
/** How many failed documents are read at a time. */
const READ_STEP = 200;

/**
 * Returns the failed documents of a run, or of one group, as lines of JSON. Throws if they have been deleted.
 */
export async function allFailures(store: Store, runId: string, group?: string): Promise<string[]> {
  const lines: string[] = [];
  for (let after = 0, more = true; more; ) {
    const page = await store.runFailures(runId, { after, limit: READ_STEP }, { group });
    lines.push(...page.items.map(({ line }) => line));
    after = page.items.at(-1)?.seq ?? after;
    more = page.more;
  }
  if (lines.length > 0) return lines;
  throw new HeadraceError('HR_RETRY_LEFT_OUT', `The failed documents of run ${runId} have been deleted`);
}

/**
 * Stores the failed documents of a run in groups, so that other requests can be handled between two groups. A run
 * reports a limited number of bytes, which also limits the documents that wait here.
 */
export class RunFailures {
  readonly #runId: string;
  readonly #store: Store;
  readonly #waiting: StoredFailure[][] = [];
  #writing: Promise<void> | undefined;

  constructor(runId: string, store: Store) {
    this.#runId = runId;
    this.#store = store;
  }

  /** Resolves when the documents are stored. Rejects if they could not be stored yet. */
  add(failures: readonly KeptFailure[]): Promise<void> {
    this.#waiting.push(
      failures.map((failure) => ({
        connector: failure.connector,
        at: failure.at,
        group: failureGroup({ at: failure.at, status: failure.status, ...failure.failure }),
        replayable: failure.document !== undefined,
        line: writeFailureLine(failure),
      })),
    );
    // Documents that could not be stored are stored with the next group, or when the run ends.
    const stored = this.settled();
    stored.catch(() => undefined);
    return stored;
  }

  /** Resolves when all documents are stored. Rejects if that fails; the documents then wait for the next call. */
  settled(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const groups = this.#waiting.slice(0, WRITE_GROUPS);
      await this.#store.addFailures(this.#runId, groups.flat());
      this.#waiting.splice(0, groups.length);
    }
  }
}
