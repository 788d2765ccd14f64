import type {
  PreviewRequest,
  PreviewResult,
  Problem,
  ReachRequest,
  RunHandle,
  RunListeners,
  RunRequest,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';

/**
 * The engine's threads, created with the first upload, run or preview. An idle service should not spend memory on a
 * warm thread.
 */
export class ThreadsOnDemand {
  readonly #heapMb: number;
  #threads: RunLauncher | undefined;

  constructor(heapMb: number) {
    this.#heapMb = heapMb;
  }

  /** Keeps a thread ready for a run that will probably need these modules. */
  prepare(modules: readonly string[]): void {
    this.#open().prepare(modules);
  }

  start(request: RunRequest, listeners: RunListeners): RunHandle {
    return this.#open().start(request, listeners);
  }

  preview(request: PreviewRequest, timeoutMillis: number, signal: AbortSignal): Promise<PreviewResult> {
    return this.#open().preview(request, timeoutMillis, signal);
  }

  reach(request: ReachRequest, timeoutMillis: number): Promise<Problem[]> {
    return this.#open().reach(request, timeoutMillis);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  #open(): RunLauncher {
    this.#threads ??= new RunLauncher({ heapMb: this.#heapMb, keepWarm: true });
    return this.#threads;
  }
}
