import type { FailureFilter, FailurePage, RunLogPiece, Store } from '../store/store.ts';
import { RunJournal } from './run-journal.ts';
import type { SecretMask } from './secret-mask.ts';

/** Journals of runs that are done, for watchers who were away for a moment. */
const MAX_RECENT = 16;

/** The journals of the runs that wait or go on, and of those that have ended last. */
export class RunJournals {
  readonly #store: Store;
  readonly #open = new Map<string, RunJournal>();
  readonly #recent = new Map<string, RunJournal>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Opens the journal of a new run. */
  open(runId: string, mask: SecretMask, state: () => { name: string; data: object }): RunJournal {
    const journal = new RunJournal(runId, this.#store, mask, state);
    this.#open.set(runId, journal);
    return journal;
  }

  /** A run is done, and stored with its log. */
  close(runId: string): void {
    const journal = this.#open.get(runId);
    if (journal === undefined) return;
    this.#open.delete(runId);
    this.#recent.set(runId, journal);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_RECENT) return;
      this.#recent.delete(oldest);
    }
  }

  get(runId: string): RunJournal | undefined {
    return this.#open.get(runId) ?? this.#recent.get(runId);
  }

  /** Failed documents of a run, up to now. */
  async failures(runId: string, page: { after: number; limit: number }, filter: FailureFilter): Promise<FailurePage> {
    await this.#open.get(runId)?.failures.settled();
    return this.#store.runFailures(runId, page, filter);
  }

  /** What is kept of the log of a run, up to now. */
  async log(runId: string): Promise<RunLogPiece[]> {
    await this.#open.get(runId)?.log.save();
    return this.#store.runLog(runId);
  }
}
