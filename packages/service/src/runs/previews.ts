import {
  HeadraceError,
  hasErrors,
  type PreviewedDocument,
  type PreviewRequest,
  type PreviewResult,
  type Problem,
  type ReachRequest,
  type RollbackRequest,
  SecretMask,
  type StageTrace,
  toFailure,
} from '@headrace/engine';
import { boundProblems } from '../configs/bound-problems.ts';
import { refuseConfig } from '../configs/upload-text.ts';
import { ApiError } from '../errors/api-error.ts';

const MAX_AT_ONCE = 4;
const TIMEOUT_MILLIS = 30_000;
/** How long the thread of a preview may take to end after a timeout. */
const THREAD_END_MILLIS = 2_000;

/** Executes previews, connection checks and rollbacks, by default in threads of the engine. */
export interface PreviewStarter {
  /** @param signal aborted when the client no longer waits for the result */
  preview(request: PreviewRequest, timeoutMillis: number, signal: AbortSignal): Promise<PreviewResult>;
  reach(request: ReachRequest, timeoutMillis: number): Promise<Problem[]>;
  rollback(request: RollbackRequest, timeoutMillis: number): Promise<string>;
}

/**
 * Runs documents through a pipeline, checks the connections of a config, and undoes runs. Each call needs a thread, so the number of
 * concurrent calls is limited.
 */
export class Previews {
  readonly #starter: PreviewStarter;
  #going = 0;

  constructor(starter: PreviewStarter) {
    this.#starter = starter;
  }

  /** @param gone aborted when the client has disconnected: the preview then ends and frees its slot */
  async preview(request: PreviewRequest, gone: AbortSignal): Promise<PreviewResult> {
    const mask = new SecretMask(request.root, true);
    const result = await this.#ask(mask, () => this.#starter.preview(request, TIMEOUT_MILLIS, gone));
    const problems = boundProblems(result.problems).map((problem) => mask.failure(problem));
    if (hasErrors(problems)) refuseConfig(problems);
    const notices = result.notices.map((notice) => mask.notice(notice));
    return { results: result.results.map((each) => maskedResult(each, mask)), problems, notices };
  }

  /** Returns all problems of a config, including sources and destinations that cannot be reached. */
  async reach(request: ReachRequest): Promise<Problem[]> {
    // The answer of a server may repeat the credentials that it received.
    const mask = new SecretMask(request.root, true);
    const problems = await this.#ask(mask, () => this.#starter.reach(request, TIMEOUT_MILLIS));
    return boundProblems(problems).map((problem) => mask.failure(problem));
  }

  /** Puts the output that a run has replaced into use again. Returns a sentence that says what changed. */
  async rollback(request: RollbackRequest): Promise<string> {
    const mask = new SecretMask(request.root, true);
    const work = () => this.#starter.rollback(request, TIMEOUT_MILLIS);
    return mask.text(await this.#ask(mask, work, 'HR_RUN_NOT_ROLLED_BACK'));
  }

  /** @param refusal the code of the answer if the work fails */
  async #ask<T>(
    mask: SecretMask,
    work: () => Promise<T>,
    refusal: 'HR_PREVIEW_FAILED' | 'HR_RUN_NOT_ROLLED_BACK' = 'HR_PREVIEW_FAILED',
  ): Promise<T> {
    if (this.#going >= MAX_AT_ONCE) {
      throw new ApiError('HR_PREVIEW_BUSY', `${MAX_AT_ONCE} previews, checks and rollbacks are already running`, {
        hint: 'Try again in a moment.',
        headers: { 'retry-after': '1' },
      });
    }
    try {
      return await this.#inTime(this.#start(work));
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error;
      const { message, ...rest } = mask.failure(toFailure(error, 'HR_INTERNAL'));
      throw new ApiError(refusal, message, { ...rest, cause: error });
    }
  }

  /** Starts the work. It counts as running until its thread has ended. */
  async #start<T>(work: () => Promise<T>): Promise<T> {
    this.#going++;
    try {
      return await work();
    } finally {
      this.#going--;
    }
  }

  /**
   * Ends the request after a timeout. The thread may hang forever in a system call, for example when it reads from a
   * pipe.
   */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new HeadraceError('HR_RUN_CANCELLED', 'The thread hangs and cannot be stopped', {
            hint: 'Check that everything that the connectors and stages of the config read is available.',
          }),
        );
      }, TIMEOUT_MILLIS + THREAD_END_MILLIS);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Masks secrets in messages about a document, because a preset may contain secrets of the environment. The documents
 * themselves are not masked.
 */
function maskedResult(result: PreviewedDocument, mask: SecretMask): PreviewedDocument {
  const { failure, trace, log } = result;
  return {
    ...result,
    ...(failure === undefined ? {} : { failure: mask.failure(failure) }),
    ...(trace === undefined ? {} : { trace: maskedTrace(trace, mask) }),
    ...(log === undefined ? {} : { log: log.map((line) => ({ ...line, message: mask.text(line.message) })) }),
  };
}

function maskedTrace(trace: readonly StageTrace[], mask: SecretMask): StageTrace[] {
  return trace.map((entry) => ({
    ...entry,
    ...(entry.failure === undefined ? {} : { failure: mask.failure(entry.failure) }),
    ...(entry.children === undefined
      ? {}
      : { children: entry.children.map((child) => ({ ...child, trace: maskedTrace(child.trace, mask) })) }),
  }));
}
