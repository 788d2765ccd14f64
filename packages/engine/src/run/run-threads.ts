import type { PreviewRequest, PreviewResult, RunHandle, RunListeners, RunRequest } from './run-request.ts';

export interface RunThreadsOptions {
  /** Limit of the JavaScript heap of each thread of a run, in MiB. */
  readonly heapMb: number;
  /** Keep one thread ready, so that a run starts at once. */
  readonly keepWarm: boolean;
}

/** Starts runs and previews, each in a thread of its own. */
export interface RunThreads {
  start(request: RunRequest, listeners?: RunListeners): RunHandle;
  /** Rejects with a `HeadraceError` when it does not end within `timeoutMillis`. */
  preview(request: PreviewRequest, timeoutMillis: number): Promise<PreviewResult>;
  close(): Promise<void>;
}
