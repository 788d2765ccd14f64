import { HeadraceError, hasErrors, type PreviewRequest, type PreviewResult } from '@headrace/engine';
import { boundProblems } from '../configs/bound-problems.ts';
import { refuseConfig } from '../configs/upload-text.ts';
import { Refusal } from '../errors/refusal.ts';

const MAX_AT_ONCE = 4;
const TIMEOUT_MILLIS = 30_000;
/** How long the thread of a preview that took too long may take to end. */
const THREAD_END_MILLIS = 2_000;

/** What runs previews: the engine's threads. */
export interface PreviewStarter {
  preview(request: PreviewRequest, timeoutMillis: number): Promise<PreviewResult>;
}

/** Shows what documents become in a pipeline. Each preview has a thread, so there are only so many at one time. */
export class Previews {
  readonly #starter: PreviewStarter;
  #going = 0;

  constructor(starter: PreviewStarter) {
    this.#starter = starter;
  }

  async preview(request: PreviewRequest): Promise<PreviewResult> {
    if (this.#going >= MAX_AT_ONCE) {
      throw new Refusal('HR_PREVIEW_BUSY', `${MAX_AT_ONCE} previews are going on already`, {
        headers: { 'retry-after': '1' },
      });
    }
    try {
      const result = await this.#inTime(this.#start(request));
      const problems = boundProblems(result.problems);
      if (hasErrors(problems)) refuseConfig(problems);
      return { ...result, problems };
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error;
      throw new Refusal('HR_PREVIEW_FAILED', error.message, {
        code: error.code,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        cause: error,
      });
    }
  }

  /** It has its place until its thread has ended. */
  async #start(request: PreviewRequest): Promise<PreviewResult> {
    this.#going++;
    try {
      return await this.#starter.preview(request, TIMEOUT_MILLIS);
    } finally {
      this.#going--;
    }
  }

  /** A thread that hangs in the operating system, reading from a pipe for example, does not end; its request does. */
  async #inTime(preview: Promise<PreviewResult>): Promise<PreviewResult> {
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
      return await Promise.race([preview, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
