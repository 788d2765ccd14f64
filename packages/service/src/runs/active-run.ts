import {
  type DocumentCounts,
  isFinal,
  maskTexts,
  mayBecome,
  type Problem,
  pendingDocuments,
  type RunHandle,
  type RunResult,
  type RunState,
  runSummary,
  secretTexts,
} from '@headrace/engine';
import { boundProblems } from '../configs/bound-problems.ts';
import type { ConfigSource } from '../configs/config-source.ts';
import type { StoredRun } from '../store/store.ts';
import { DocsRate, roundRate } from './docs-rate.ts';
import type { RunDetails } from './run-details.ts';

/** Characters of the summary of a run, which tells each of its problems. */
const MAX_MESSAGE = 256 * 1024;

/** Who asked for a run, and what they call it. */
export interface RunOrder {
  configId: string;
  requestedBy: string | null;
  labels: Record<string, string>;
}

/** Seconds since the epoch. */
export function now(): number {
  return Date.now() / 1000;
}

/** A run that waits or goes on: its details, and what moves them. */
export class ActiveRun {
  readonly id: string;
  readonly configId: string;
  readonly source: ConfigSource;
  /** What the store does not have yet; a run leaves the memory when it is final and this is false. */
  dirty = true;
  readonly #details: RunDetails;
  readonly #rate = new DocsRate();
  #handle: RunHandle | undefined;
  #startedRunning = 0;

  constructor(id: string, { configId, requestedBy, labels }: RunOrder, source: ConfigSource) {
    this.id = id;
    this.configId = configId;
    this.source = source;
    this.#details = {
      runId: id,
      configId,
      startTime: now(),
      endTime: null,
      runResult: null,
      runType: 'LOCAL',
      done: false,
      status: 'QUEUED',
      progress: {
        published: 0,
        created: 0,
        pending: 0,
        succeeded: 0,
        failed: 0,
        dropped: 0,
        docsPerSecond: 0,
        connectors: [],
      },
      configDigest: source.digest,
      requestedBy,
      labels,
    };
  }

  get status(): RunState {
    return this.#details.status;
  }

  get done(): boolean {
    return this.#details.done;
  }

  /** The details as they are now. */
  details(): RunDetails {
    if (!this.done) this.#readProgress();
    return this.#details;
  }

  stored(): StoredRun {
    const { id, configId, status, done } = this;
    return { id, configId, status, done, details: JSON.stringify(this.details()) };
  }

  run(handle: RunHandle): void {
    this.#become('RUNNING');
    this.#handle = handle;
    this.#startedRunning = performance.now();
    this.#rate.sample(performance.now() / 1000, 0);
  }

  /** Asks a going run to stop; its result comes as for any other. */
  stop(status: 'CANCELLED' | 'INTERRUPTED'): void {
    if (this.status === 'RUNNING') this.#become('STOPPING');
    this.#handle?.stop(status);
  }

  /** Notes how fast it is. About once a second. */
  sample(): void {
    this.#rate.sample(performance.now() / 1000, this.#readProgress());
    this.dirty = true;
  }

  /** The result of a run that went on to its end. */
  finish({ status, message, problems, connectors, counts, seconds }: RunResult): void {
    // The run had the real values, and what it says may hold them: the path of a file, the answer of a server.
    const secrets = secretTexts(this.source.root, true);
    const masked = maskTexts(message, secrets);
    this.#end(status, {
      message: masked.length <= MAX_MESSAGE ? masked : `${masked.slice(0, MAX_MESSAGE)}…`,
      problems: boundProblems(problems).map((problem) => ({
        ...problem,
        message: maskTexts(problem.message, secrets),
      })),
      connectors: connectors.map((connector) => ({
        name: connector.name,
        status: connector.status,
        succeeded: connector.counts.succeeded,
        failed: connector.counts.failed,
        dropped: connector.counts.dropped,
        seconds: Math.round(connector.seconds * 1000) / 1000,
      })),
    });
    this.#setCounts(counts);
    const { progress } = this.#details;
    if (connectors.length > 0) progress.connectors = connectors.map(({ name, status }) => ({ name, status }));
    progress.docsPerSecond = seconds <= 0 ? 0 : roundRate(doneDocuments(counts) / seconds);
  }

  /** The end of a run of which no result can be had. What was in flight counts as failed. */
  abandon(status: 'FAILED' | 'CANCELLED' | 'INTERRUPTED', problem: Problem): void {
    const documents = this.#readProgress();
    abandonPending(this.#details);
    const seconds = this.#startedRunning === 0 ? 0 : (performance.now() - this.#startedRunning) / 1000;
    this.#details.progress.docsPerSecond = seconds === 0 ? 0 : roundRate(documents / seconds);
    this.#end(status, { message: runSummary(status, [], [problem]), problems: [problem], connectors: [] });
  }

  #end(
    status: RunState,
    result: { message: string } & Pick<NonNullable<RunDetails['runResult']>, 'problems' | 'connectors'>,
  ) {
    this.#become(status);
    this.#handle = undefined;
    const { message, problems, connectors } = result;
    const succeeded = status === 'SUCCEEDED';
    this.#details.runResult = { status: succeeded, message, runId: this.id, history: null, problems, connectors };
    this.#details.endTime = now();
  }

  #become(status: RunState): void {
    if (!mayBecome(this.status, status))
      throw new Error(`Run ${this.id} cannot become ${status}: it is ${this.status}`);
    this.#details.status = status;
    this.#details.done = isFinal(status);
    this.dirty = true;
  }

  /** Takes over the counts of now; gives the number of documents that are done. */
  #readProgress(): number {
    if (this.#handle === undefined) return 0;
    const { counts, connectors } = this.#handle.progress();
    this.#setCounts(counts);
    this.#details.progress.connectors = connectors;
    this.#details.progress.docsPerSecond = this.#rate.perSecond;
    return doneDocuments(counts);
  }

  #setCounts(counts: DocumentCounts): void {
    Object.assign(this.#details.progress, counts, { pending: pendingDocuments(counts) });
  }
}

/** What was in flight when a run ended by force has failed. */
export function abandonPending({ progress }: RunDetails): void {
  progress.failed += progress.pending;
  progress.pending = 0;
}

function doneDocuments({ succeeded, failed, dropped }: DocumentCounts): number {
  return succeeded + failed + dropped;
}
