import {
  HeadraceError,
  hasErrors,
  type PreviewedDocument,
  type PreviewRequest,
  type PreviewResult,
  type Problem,
  type ReachRequest,
  SecretMask,
  type StageTrace,
  toFailure,
} from '@headrace/engine';
import { boundProblems } from '../configs/bound-problems.ts';
import { refuseConfig } from '../configs/upload-text.ts';
import { ApiError } from '../errors/api-error.ts';

const MAX_AT_ONCE = 4;
const TIMEOUT_MILLIS = 30_000;
/** How long the thread of a preview that took too long may take to end. */
const THREAD_END_MILLIS = 2_000;

/** What runs them: the engine's threads. */
export interface PreviewStarter {
  /** @param signal aborted when nobody waits for it any more */
  preview(request: PreviewRequest, timeoutMillis: number, signal: AbortSignal): Promise<PreviewResult>;
  reach(request: ReachRequest, timeoutMillis: number): Promise<Problem[]>;
}

/**
 * Shows what documents become in a pipeline, and looks whether what a config talks to is there. Each time that takes a
 * thread, so there are only so many at one time.
 */
export class Previews {
  readonly #starter: PreviewStarter;
  #going = 0;

  constructor(starter: PreviewStarter) {
    this.#starter = starter;
  }

  /** @param gone aborted when the client has gone: the preview ends, and its place is free */
  async preview(request: PreviewRequest, gone: AbortSignal): Promise<PreviewResult> {
    const mask = new SecretMask(request.root, true);
    const result = await this.#ask(mask, () => this.#starter.preview(request, TIMEOUT_MILLIS, gone));
    const problems = boundProblems(result.problems).map((problem) => mask.failure(problem));
    if (hasErrors(problems)) refuseConfig(problems);
    return { results: result.results.map((each) => maskedResult(each, mask)), problems };
  }

  /** All problems of a config, those of sources and sinks that cannot be reached among them. */
  async reach(request: ReachRequest): Promise<Problem[]> {
    // What a server answers may repeat what it was sent.
    const mask = new SecretMask(request.root, true);
    const problems = await this.#ask(mask, () => this.#starter.reach(request, TIMEOUT_MILLIS));
    return boundProblems(problems).map((problem) => mask.failure(problem));
  }

  async #ask<T>(mask: SecretMask, work: () => Promise<T>): Promise<T> {
    if (this.#going >= MAX_AT_ONCE) {
      throw new ApiError('HR_PREVIEW_BUSY', `${MAX_AT_ONCE} previews and attempts to connect are going on already`, {
        hint: 'Ask again in a moment.',
        headers: { 'retry-after': '1' },
      });
    }
    try {
      return await this.#inTime(this.#start(work));
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error;
      const { message, ...rest } = mask.failure(toFailure(error, 'HR_INTERNAL'));
      throw new ApiError('HR_PREVIEW_FAILED', message, { ...rest, cause: error });
    }
  }

  /** It has its place until its thread has ended. */
  async #start<T>(work: () => Promise<T>): Promise<T> {
    this.#going++;
    try {
      return await work();
    } finally {
      this.#going--;
    }
  }

  /** A thread that hangs in the operating system, reading from a pipe for example, does not end; its request does. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new HeadraceError('HR_RUN_CANCELLED', 'The preview hangs, and cannot be ended', {
            hint: 'Check that what the connectors and stages of the config read is there.',
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

/** What is said of a document with secrets masked: a preset has those of the environment. Documents are as they are. */
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
