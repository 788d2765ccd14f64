import {
  type DocumentCounts,
  type IndexingProgress,
  isFinal,
  mayBecome,
  type Notice,
  noDocuments,
  type Problem,
  pendingDocuments,
  type RunHandle,
  type RunProgress,
  type RunResult,
  type RunState,
  SecretMask,
} from '@headrace/engine';
import type { Overlap } from '../api/overlap.ts';
import type { RunDetails } from '../api/run-details.ts';
import { boundProblems } from '../configs/bound-problems.ts';
import type { StoredRun } from '../store/store.ts';
import { epochSeconds } from '../time/clock.ts';
import { DocsRate, roundRate } from './docs-rate.ts';
import { endTime, forceEnd } from './forced-end.ts';
import { noticeCounts } from './notice-counts.ts';
import type { RunJournal } from './run-journal.ts';
import type { RunJournals } from './run-journals.ts';
import { RunSamples } from './run-samples.ts';
import type { RunSpec } from './run-spec.ts';

/** The maximum length of the run summary, which contains all problems of the run. */
const MAX_MESSAGE = 256 * 1024;
/** The maximum number of connectors and stages in the details. */
const MAX_CONNECTORS = 1000;
const MAX_STAGES = 1000;

/** The ids of a run for the service log. */
export interface RunIds {
  runId: string;
  /** The id of the request that started the run. */
  requestId?: string;
}

/** The parts of the service that a run uses. */
export interface RunServices {
  journals: RunJournals;
  /** Returns the position of a waiting run in the queue, from 1. */
  position(run: ActiveRun): number | undefined;
}

/** The config id of runs whose config came with the request. Clients expect a text instead of null. */
export const INLINE_CONFIG = 'inline';

/** A waiting or running run, with its details. */
export class ActiveRun {
  readonly id: string;
  readonly spec: RunSpec;
  readonly journal: RunJournal;
  /** Whether the run has unsaved changes. A finished run leaves the memory after its last save. */
  dirty = true;
  /** The last save of the run. This promise never rejects. */
  saving: Promise<void> | undefined;
  readonly #details: RunDetails;
  readonly #mask: SecretMask;
  readonly #position: () => number | undefined;
  readonly samples = new RunSamples();
  readonly #rate = new DocsRate();
  #handle: RunHandle | undefined;
  #startedRunning = 0;

  constructor(id: string, spec: RunSpec, { journals, position }: RunServices) {
    this.id = id;
    this.spec = spec;
    this.#mask = new SecretMask(spec.source.root, true);
    this.#position = () => position(this);
    this.journal = journals.open(id, this.#mask, () => this.#state());
    const { config, source, overrides, overlap, requestedBy, requestId, labels } = spec;
    this.#details = {
      runId: id,
      configId: config?.id ?? INLINE_CONFIG,
      configName: config?.name ?? null,
      configVersion: config?.version ?? null,
      startTime: epochSeconds(),
      endTime: null,
      runResult: null,
      runType: 'LOCAL',
      done: false,
      status: 'QUEUED',
      progress: {
        ...noDocuments(),
        pending: 0,
        docsPerSecond: 0,
        connectors: [],
        stages: [],
      },
      configDigest: source.digest,
      ...(overrides === undefined ? {} : { overrides }),
      ...(spec.retryOf === undefined ? {} : { retryOf: spec.retryOf }),
      ...(spec.retryGroup === undefined ? {} : { retryGroup: spec.retryGroup }),
      overlap,
      requestedBy,
      ...(requestId === undefined ? {} : { requestId }),
      ...(spec.scheduledTime === undefined ? {} : { scheduledTime: spec.scheduledTime }),
      labels,
    };
  }

  /** Returns the id of the config, or undefined if the config came with the request. */
  get configId(): string | undefined {
    return this.spec.config?.id;
  }

  get overlap(): Overlap {
    return this.spec.overlap;
  }

  get ids(): RunIds {
    const { requestId } = this.spec;
    return { runId: this.id, ...(requestId === undefined ? {} : { requestId }) };
  }

  get status(): RunState {
    return this.#details.status;
  }

  get done(): boolean {
    return this.#details.done;
  }

  /** Returns the current details. */
  details(): RunDetails {
    if (!this.done) this.#readProgress();
    const position = this.status === 'QUEUED' ? this.#position() : undefined;
    if (position === undefined) delete this.#details.queuePosition;
    else this.#details.queuePosition = position;
    return this.#details;
  }

  stored(): StoredRun {
    return storedRun(this.details());
  }

  run(handle: RunHandle): void {
    this.#become('RUNNING');
    this.#handle = handle;
    this.#startedRunning = performance.now();
    this.#rate.sample(performance.now() / 1000, 0);
    this.samples.add(epochSeconds(), this.#details.progress);
  }

  /** Records that another run processes the failed documents of this run again. */
  retriedBy(runId: string): void {
    this.#details.retriedBy = runId;
    this.dirty = true;
  }

  /** Asks a running run to stop. Its result arrives as for any other run. */
  stop(status: 'CANCELLED' | 'INTERRUPTED'): void {
    if (this.status === 'RUNNING') this.#become('STOPPING');
    this.#handle?.stop(status);
  }

  /** Reports connectors that have started or ended to the journal. */
  connectorsChanged(): void {
    if (this.#handle !== undefined) this.journal.connectors(this.#handle.progress().connectors);
  }

  /** Measures the rate of documents. Called about once a second. */
  sample(): void {
    this.#rate.sample(performance.now() / 1000, this.#readProgress());
    this.samples.add(epochSeconds(), this.#details.progress);
    this.dirty = true;
  }

  /** Records the result that a run has reported. */
  finish(result: RunResult): void {
    const { status, message, problems, connectors, checks, replaced, counts, notices, stages, seconds } = result;
    const masked = this.#mask.text(message);
    this.#setIndexing(this.#handle?.progress().indexing);
    this.#end(status, {
      status: status === 'SUCCEEDED',
      message: masked.length <= MAX_MESSAGE ? masked : `${masked.slice(0, MAX_MESSAGE)}…`,
      runId: this.id,
      history: null,
      problems: boundProblems(problems).map((problem) => this.#mask.failure(problem)),
      connectors: connectors.slice(0, MAX_CONNECTORS).map((connector) => ({
        name: connector.name,
        status: connector.status,
        succeeded: connector.counts.succeeded,
        failed: connector.counts.failed,
        dropped: connector.counts.dropped,
        seconds: toMillis(connector.seconds),
      })),
      ...(checks === undefined
        ? {}
        : { checks: checks.map((check) => ({ ...check, found: this.#mask.text(check.found) })) }),
      ...(replaced === undefined ? {} : { replaced }),
      ...this.#noticesOf(notices),
    });
    this.#setCounts(counts);
    this.#setNotices(notices);
    const { progress } = this.#details;
    if (connectors.length > 0) {
      this.journal.connectors(connectors);
      this.#setConnectors(connectors);
    }
    progress.stages = stages.slice(0, MAX_STAGES);
    progress.docsPerSecond = seconds <= 0 ? 0 : roundRate(doneDocuments(counts) / seconds);
    this.samples.add(this.#details.endTime ?? epochSeconds(), progress);
  }

  /** Ends a run that does not report a result. Its documents in flight count as failed. */
  abandon(status: 'FAILED' | 'CANCELLED' | 'INTERRUPTED', problem: Problem): void {
    const documents = this.#readProgress();
    const notices = this.#noticesOf(this.#handle?.progress().notices ?? []);
    const result = { ...forceEnd(this.#details, status, this.#mask.failure(problem)), ...notices };
    const seconds = this.#startedRunning === 0 ? 0 : (performance.now() - this.#startedRunning) / 1000;
    this.#details.progress.docsPerSecond = seconds === 0 ? 0 : roundRate(documents / seconds);
    if (seconds > 0) this.samples.add(epochSeconds(), this.#details.progress);
    this.#end(status, result);
  }

  #end(status: RunState, result: NonNullable<RunDetails['runResult']>): void {
    this.#become(status);
    this.#handle = undefined;
    delete this.#details.progress.waiting;
    this.#details.runResult = result;
    this.#details.endTime = endTime(this.#details);
  }

  #become(status: RunState): void {
    if (!mayBecome(this.status, status))
      throw new Error(`Run ${this.id} cannot become ${status}: it is ${this.status}`);
    this.#details.status = status;
    this.#details.done = isFinal(status);
    this.dirty = true;
  }

  /** Returns the state of the run for event streams. */
  #state(): { name: string; data: object } {
    const { status, queuePosition, progress } = this.details();
    if (queuePosition !== undefined) return { name: 'queued', data: { position: queuePosition } };
    return { name: 'progress', data: { status, ...progress } };
  }

  /** Updates the details from the current counts. Returns the number of finished documents. */
  #readProgress(): number {
    if (this.#handle === undefined) return 0;
    const { counts, connectors, stages, indexing, notices, waiting } = this.#handle.progress();
    this.#setIndexing(indexing);
    this.#setCounts(counts);
    this.#setNotices(notices);
    const { progress } = this.#details;
    if (waiting === undefined) delete progress.waiting;
    else progress.waiting = this.#mask.text(waiting);
    this.#setConnectors(connectors);
    progress.stages = stages.slice(0, MAX_STAGES);
    progress.docsPerSecond = this.#rate.perSecond;
    return doneDocuments(counts);
  }

  #setIndexing(indexing: IndexingProgress | undefined): void {
    // The details show no indexing if the run did not reach its indexer.
    if (indexing?.indexer === undefined) return;
    const { indexer: type, seconds, ...counts } = indexing;
    // Microseconds, because the metrics add up the times of many small runs.
    this.#details.progress.indexing = { type, ...counts, seconds: Math.round(seconds * 1e6) / 1e6 };
  }

  /** Returns notices for the result. Absent if there are none. */
  #noticesOf(notices: readonly Notice[]): { notices?: Notice[] } {
    return notices.length === 0 ? {} : { notices: notices.map((notice) => this.#mask.notice(notice)) };
  }

  #setNotices(notices: readonly Notice[]): void {
    if (notices.length > 0) this.#details.progress.notices = noticeCounts(notices);
  }

  #setConnectors(connectors: RunProgress['connectors']): void {
    const { progress } = this.#details;
    progress.connectors = connectors.slice(0, MAX_CONNECTORS).map(connectorProgress);
    const more = connectors.length - progress.connectors.length;
    if (more > 0) progress.moreConnectors = more;
  }

  #setCounts(counts: DocumentCounts): void {
    Object.assign(this.#details.progress, counts, { pending: pendingDocuments(counts) });
  }
}

function connectorProgress({ name, status, counts, seconds }: RunProgress['connectors'][number]) {
  const { published, succeeded, failed, dropped } = counts;
  return { name, status, published, succeeded, failed, dropped, seconds: toMillis(seconds) };
}

function toMillis(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Returns a run in the format of the store: its details, and the fields that queries filter by. */
export function storedRun(details: RunDetails): StoredRun {
  const { runId: id, configId, status, done, startTime, requestedBy, labels, scheduledTime } = details;
  const fields = { id, configId, status, done, startTime, requestedBy, labels, scheduledTime };
  return { ...fields, details: JSON.stringify(details) };
}

function doneDocuments({ succeeded, failed, dropped }: DocumentCounts): number {
  return succeeded + failed + dropped;
}
