import type { PreviewRequest } from './run-request.ts';
import type { RunThread } from './run-thread.ts';
import { endThread } from './thread-end.ts';

/** How long a thread waits for the next preview. */
const IDLE_MILLIS = 60_000;
/** After so many previews the thread is replaced, because libraries may leave something in memory. */
const MAX_PREVIEWS = 200;

interface Kept {
  readonly worker: RunThread;
  readonly key: string;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps the thread of the last preview for the next one. A user who edits a config previews it after each change, and a
 * new thread takes 0.1 to 0.2 s of processor time. Only a preview of the same user with the same policy gets the thread,
 * because the previous one may have left something that still runs. Trusted configs and custom modules always get a new
 * thread, which loads the current code of the modules.
 */
export class PreviewThread {
  readonly #previews = new WeakMap<RunThread, number>();
  #kept: Kept | undefined;

  /** Returns the thread if a preview may use it. */
  take(request: PreviewRequest): RunThread | undefined {
    const kept = this.#kept;
    if (kept === undefined || kept.key !== keyOf(request)) return undefined;
    this.#release(kept);
    kept.worker.ref();
    return kept.worker;
  }

  /** Keeps a thread after a preview. Returns false if the thread must end. */
  keep(worker: RunThread, request: PreviewRequest): boolean {
    const key = keyOf(request);
    const previews = (this.#previews.get(worker) ?? 0) + 1;
    if (key === undefined || previews >= MAX_PREVIEWS || this.#kept !== undefined) return false;
    this.#previews.set(worker, previews);
    worker.unref();
    worker.once('exit', this.#forget);
    const timer = setTimeout(() => {
      this.#forget();
      endThread(worker);
    }, IDLE_MILLIS).unref();
    this.#kept = { worker, key, timer };
    return true;
  }

  readonly #forget = (): void => {
    if (this.#kept !== undefined) this.#release(this.#kept);
  };

  #release({ worker, timer }: Kept): void {
    clearTimeout(timer);
    worker.off('exit', this.#forget);
    this.#kept = undefined;
  }
}

function keyOf({ trusted, registry, user }: PreviewRequest): string | undefined {
  return trusted === true || registry.modules.length > 0 ? undefined : JSON.stringify([registry, user]);
}
