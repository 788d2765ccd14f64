import {
  noDocuments,
  type Problem,
  type RunHandle,
  type RunProgress,
  type RunResult,
  runSummary,
  toFailure,
} from '@headrace/engine';

type Stopped = 'CANCELLED' | 'INTERRUPTED';

/**
 * A run that reads its documents from the store when it starts. A waiting run must not keep them in memory, because
 * they may be many.
 */
export class RetryHandle implements RunHandle {
  readonly runId: string;
  readonly done: Promise<RunResult>;
  #run: RunHandle | undefined;
  #stopped: Stopped | undefined;

  /**
   * @param read reads the failed documents of the earlier run
   * @param start starts the run of these documents
   */
  constructor(runId: string, read: () => Promise<string[]>, start: (documents: string[]) => RunHandle) {
    this.runId = runId;
    this.done = this.#begin(read, start);
  }

  progress(): RunProgress {
    return this.#run?.progress() ?? { counts: noDocuments(), connectors: [], stages: [], notices: [] };
  }

  stop(status: Stopped): void {
    this.#stopped ??= status;
    this.#run?.stop(status);
  }

  async #begin(read: () => Promise<string[]>, start: (documents: string[]) => RunHandle): Promise<RunResult> {
    try {
      this.#run = start(await read());
    } catch (error) {
      return notBegun({ severity: 'error', path: '', ...toFailure(error, 'HR_INTERNAL') });
    }
    if (this.#stopped !== undefined) this.#run.stop(this.#stopped);
    return this.#run.done;
  }
}

function notBegun(problem: Problem): RunResult {
  const message = runSummary('FAILED', [], [problem]);
  const nothing = { connectors: [], counts: noDocuments(), notices: [], failures: [], stages: [], seconds: 0 };
  return { ...nothing, status: 'FAILED', message, problems: [problem] };
}
