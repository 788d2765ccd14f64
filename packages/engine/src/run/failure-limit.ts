import type { MaxFailures } from '../config/max-failures.ts';
import { counted } from '../errors/counted.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { DocumentCounts } from './counters.ts';
import type { StopReason } from './stop-reason.ts';

/** A percentage is checked only once a run has this many documents: the first failure of a run must not end it. */
export const PERCENT_SAMPLE = 1000;

/** Stops a run when more documents fail than `runner.maxFailures` allows. */
export class FailureLimit {
  readonly #most: MaxFailures | undefined;
  readonly #controller = new AbortController();

  /** @param most undefined means no limit */
  constructor(most: MaxFailures | undefined) {
    this.#most = most;
  }

  /** Aborted, with a `StopReason`, when too many documents have failed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Must be called after documents have failed. The percentage is relative to all documents so far, including documents
   * in flight: a failure is known before the documents around it have been indexed.
   * @param counts the counts of the run
   */
  check({ published, created, failed }: DocumentCounts): void {
    if (this.#most === undefined || this.signal.aborted) return;
    const all = published + created;
    if ('percent' in this.#most && all < PERCENT_SAMPLE) return;
    const failure = exceeded(this.#most, all, failed);
    if (failure !== undefined) this.#controller.abort({ status: 'FAILED', failure } satisfies StopReason);
  }

  /** The failure that stopped a run, with the counts at its end: documents that were in flight have finished since. */
  recounted(failure: Failure | undefined, counts: DocumentCounts): Failure | undefined {
    return failure?.code === 'HR_RUN_MAX_FAILURES' ? (this.atEnd(counts) ?? failure) : failure;
  }

  /** Why a finished run failed, judged by its document counts. Undefined means that it did not fail. */
  atEnd({ published, created, succeeded, failed }: DocumentCounts): Failure | undefined {
    const all = published + created;
    const tooMany = this.#most === undefined ? undefined : exceeded(this.#most, all, failed);
    if (tooMany !== undefined || failed === 0 || succeeded > 0) return tooMany;
    const what = failed === all ? (all === 1 ? 'The only document' : `All ${counted(all, 'document')}`) : undefined;
    return {
      code: 'HR_RUN_NOTHING_SUCCEEDED',
      message: `${what ?? counted(failed, 'document')} failed, and none succeeded`,
      hint: 'Look at the reasons of the failed documents in the log or in the failures of the run. Often all of them have the same reason.',
    };
  }
}

function exceeded(most: MaxFailures, all: number, failed: number): Failure | undefined {
  const limit = 'percent' in most ? (most.percent / 100) * all : most.documents;
  if (failed <= limit) return undefined;
  const allowed = 'percent' in most ? `${most.percent}%` : `${most.documents}`;
  return {
    code: 'HR_RUN_MAX_FAILURES',
    message: `${failed} of ${counted(all, 'document')} failed, and at most ${allowed} may (runner.maxFailures)`,
    hint: 'Correct the cause of the failures, or raise runner.maxFailures.',
  };
}
