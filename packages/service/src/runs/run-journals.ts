import type { SecretMask } from '@headrace/engine';
import type { FailureFilter, FailureGroups, FailurePage, RunLogPiece, Store } from '../store/store.ts';
import type { RunEvents } from './run-events.ts';
import { RUN_INTERVALS, type RunIntervals } from './run-intervals.ts';
import { RunJournal } from './run-journal.ts';

/** How many finished runs keep their events, for clients that were disconnected for a moment. */
const MAX_RECENT = 16;

/** The events of a run, and notifications about new ones. */
export interface WatchedRun {
  readonly events: RunEvents;
  /** Adds a listener, which is called when there may be new events. Returns a function that removes the listener. */
  watch(reader: () => void): () => void;
}

/** The journals of waiting and running runs, and the events of the last finished runs. */
export class RunJournals {
  readonly #store: Store;
  readonly #intervals: RunIntervals;
  readonly #open = new Map<string, RunJournal>();
  /** The events without the journals, because a journal also keeps the config in memory. */
  readonly #recent = new Map<string, RunEvents>();

  constructor(store: Store, intervals = RUN_INTERVALS) {
    this.#store = store;
    this.#intervals = intervals;
  }

  /** Opens the journal of a new run. */
  open(runId: string, mask: SecretMask, state: () => { name: string; data: object }): RunJournal {
    const journal = new RunJournal(runId, this.#store, mask, state, this.#intervals);
    this.#open.set(runId, journal);
    return journal;
  }

  /** Removes the journal of a run that could not be stored. */
  discard(runId: string): void {
    this.#open.delete(runId);
  }

  /** Closes the journal and the log of a run that is done and stored. */
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

  /** Returns the events of a run that is waiting, is running or has ended recently. */
  get(runId: string): WatchedRun | undefined {
    const events = this.#recent.get(runId);
    return this.#open.get(runId) ?? (events && { events, watch: (reader) => events.onChange(reader) });
  }

  /** Returns the failed documents of a run so far. */
  async failures(runId: string, page: { after: number; limit: number }, filter: FailureFilter): Promise<FailurePage> {
    await this.#open.get(runId)?.failures.settled();
    return this.#store.runFailures(runId, page, filter);
  }

  /** Returns the largest groups of failed documents of a run so far. */
  async failureGroups(runId: string, limit: number, at?: string): Promise<FailureGroups> {
    await this.#open.get(runId)?.failures.settled();
    return this.#store.failureGroups(runId, limit, at);
  }

  /** Returns the stored part of the log of a run so far. */
  async log(runId: string): Promise<RunLogPiece[]> {
    await this.#open.get(runId)?.log.save();
    return this.#store.runLog(runId);
  }
}
