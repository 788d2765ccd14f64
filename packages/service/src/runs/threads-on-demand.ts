import type {
  AccessCheckRequest,
  PreviewRequest,
  PreviewResult,
  Problem,
  RollbackRequest,
  RunHandle,
  RunListeners,
  RunRequest,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import type { Limits } from '../settings/service-settings.ts';

/**
 * The threads of the engine, which are created at the first upload, run or preview. An idle service needs no memory for
 * a warm thread.
 */
export class ThreadsOnDemand {
  readonly #limits: Pick<Limits, 'runHeapMb' | 'memoryMb'>;
  readonly #journals: string | undefined;
  #threads: RunLauncher | undefined;

  /** @param journals a folder for the journals of rebuilds, which no other process uses. Defaults to a temporary one */
  constructor(limits: Pick<Limits, 'runHeapMb' | 'memoryMb'>, journals?: string) {
    this.#limits = limits;
    this.#journals = journals;
  }

  /** Prepares a thread for a run that will probably need these modules. */
  prepare(modules: readonly string[]): void {
    this.#open().prepare(modules);
  }

  start(request: RunRequest, listeners: RunListeners): RunHandle {
    return this.#open().start(request, listeners);
  }

  preview(request: PreviewRequest, timeoutMillis: number, signal: AbortSignal): Promise<PreviewResult> {
    return this.#open().preview(request, timeoutMillis, signal);
  }

  checkAccess(request: AccessCheckRequest, timeoutMillis: number): Promise<Problem[]> {
    return this.#open().checkAccess(request, timeoutMillis);
  }

  rollback(request: RollbackRequest, timeoutMillis: number): Promise<string> {
    return this.#open().rollback(request, timeoutMillis);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  #open(): RunLauncher {
    const { runHeapMb: heapMb, memoryMb } = this.#limits;
    this.#threads ??= new RunLauncher({ heapMb, memoryMb, keepWarm: true, journals: this.#journals });
    return this.#threads;
  }
}
