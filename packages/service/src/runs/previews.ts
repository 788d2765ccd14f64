import { HeadraceError, hasErrors, type PreviewRequest, type PreviewResult } from '@headrace/engine';
import { refuseConfig } from '../configs/upload-text.ts';
import { Refusal } from '../errors/refusal.ts';

const MAX_AT_ONCE = 4;
const TIMEOUT_MILLIS = 30_000;

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
    this.#going++;
    try {
      const result = await this.#starter.preview(request, TIMEOUT_MILLIS);
      if (hasErrors(result.problems)) refuseConfig(result.problems);
      return result;
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error;
      throw new Refusal('HR_PREVIEW_FAILED', error.message, {
        code: error.code,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        cause: error,
      });
    } finally {
      this.#going--;
    }
  }
}
