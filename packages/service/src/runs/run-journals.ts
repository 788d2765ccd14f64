import type { SecretMask } from '@headrace/engine';
import type { FailureFilter, FailurePage, RunLogPiece, Store } from '../store/store.ts';
import type { RunEvents } from './run-events.ts';
import { RunJournal } from './run-journal.ts';

/** Runs that are done whose events are kept, for watchers who were away for a moment. */
const MAX_RECENT = 16;

/** The events of a run, and what tells of them. */
export interface WatchedRun {
  readonly events: RunEvents;
  /** Calls back when there may be something to read. Gives what ends that. */
  watch(reader: () => void): () => void;
}

/** The journals of the runs that wait or go on, and the events of those that have ended last. */
export class RunJournals {
  readonly #store: Store;
  readonly #open = new Map<string, RunJournal>();
  /** Their events alone: a journal holds on to the config. */
  readonly #recent = new Map<string, RunEvents>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Opens the journal of a new run. */
  open(runId: string, mask: SecretMask, state: () => { name: string; data: object }): RunJournal {
    const journal = new RunJournal(runId, this.#store, mask, state);
    this.#open.set(runId, journal);
    return journal;
  }

  /** There is no such run: it could not be stored. */
  discard(runId: string): void {
    this.#open.delete(runId);
  }

  /** A run is done, and stored with its log. */
  close(runId: string): void {
    const journal = this.#open.get(runId);
    if (journal === undefined) return;
    this.#open.delete(runId);
    this.#recent.set(runId, journal.events);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_RECENT) return;
      this.#recent.delete(oldest);
    }
  }

  /** A run that waits, goes on or has ended lately. */
  get(runId: string): WatchedRun | undefined {
    const events = this.#recent.get(runId);
    return this.#open.get(runId) ?? (events && { events, watch: (reader) => events.onChange(reader) });
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
