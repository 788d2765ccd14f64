import type { MaxFailures } from '../config/max-failures.ts';
import { counted } from '../errors/counted.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { DocumentCounts } from './counters.ts';
import type { StopReason } from './stop-reason.ts';

/** The number of documents after which a percentage is checked. Without it, the first failure could end a run. */
export const PERCENT_SAMPLE = 1000;

/** Stops a run if more documents fail than `runner.maxFailures` allows, or if no document can succeed any more. */
export class FailureLimit {
  readonly #most: MaxFailures | undefined;
  readonly #controller = new AbortController();

  /** @param most the limit; undefined means no limit */
  constructor(most: MaxFailures | undefined) {
    this.#most = most;
  }

  /** Aborted with a `StopReason` when too many documents have failed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Checks the limit. Must be called after documents have failed. The percentage is relative to all published and
   * created documents. This includes unfinished documents, because a failure is known before the documents around it
   * are indexed.
   * @param counts the counts of the run
   */
  check({ published, created, failed }: DocumentCounts): void {
    if (this.#most === undefined || this.signal.aborted) return;
    const all = published + created;
    if ('percent' in this.#most && all < PERCENT_SAMPLE) return;
    const failure = exceeded(this.#most, all, failed);
    if (failure !== undefined) this.#controller.abort({ status: 'FAILED', failure } satisfies StopReason);
  }

  /** Stops the run if its destination is gone (`HR_INDEXER_GONE`): all further documents would fail too. */
  stopIfGone(failure: Failure): void {
    if (failure.code !== 'HR_INDEXER_GONE' || this.signal.aborted) return;
    this.#controller.abort({ status: 'FAILED', failure } satisfies StopReason);
  }

  /** Returns the failure that stopped a run, with the final counts: documents in flight have finished since. */
  recounted(failure: Failure | undefined, counts: DocumentCounts): Failure | undefined {
    return failure?.code === 'HR_RUN_MAX_FAILURES' ? (this.atEnd(counts) ?? failure) : failure;
  }

  /** Returns the reason why a finished run failed, according to its counts. Returns undefined if it did not fail. */
  atEnd({ published, created, succeeded, failed }: DocumentCounts): Failure | undefined {
    const all = published + created;
    const tooMany = this.#most === undefined ? undefined : exceeded(this.#most, all, failed);
    if (tooMany !== undefined || failed === 0 || succeeded > 0) return tooMany;
    const what = failed === all ? (all === 1 ? 'The only document' : `All ${counted(all, 'document')}`) : undefined;
    return {
      code: 'HR_RUN_NOTHING_SUCCEEDED',
      message: `${what ?? counted(failed, 'document')} failed, and none succeeded`,
      hint: 'Check the reasons of the failed documents in the log or in the failures of the run. Often all have the same reason.',
    };
  }
}

function exceeded(most: MaxFailures, all: number, failed: number): Failure | undefined {
  const limit = 'percent' in most ? (most.percent / 100) * all : most.documents;
  if (failed <= limit) return undefined;
  const allowed = 'percent' in most ? `${most.percent}%` : `${most.documents}`;
  return {
    code: 'HR_RUN_MAX_FAILURES',
    message: `${failed} of ${counted(all, 'document')} failed, and at most ${allowed} may fail (runner.maxFailures)`,
    hint: 'Correct the cause of the failures, or raise runner.maxFailures.',
  };
}
