import type { Confined } from './confinement.ts';

/** A call of a function that the module of a helper process exports. */
export interface HelperCall {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The result of the call with the same number. */
export type HelperAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: HelperError };

/** An error of a function, with those of its fields that are kept. */
export interface HelperError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
}

/** From the thread that keeps the processes: the process has ended. */
export interface HelperEnd {
  /** How it ended, such as "was ended by SIGKILL". */
  readonly how: string;
  /** Why it was ended, if a limit was exceeded: a call took too long, or the helpers used too much memory together. */
  readonly code: 'HR_STAGE_OVERDUE' | 'HR_MEMORY_LIMIT' | undefined;
}

/** To the thread that keeps the processes, once for each process. */
export interface HelperStart {
  /** The URL of the module with the functions. */
  readonly module: string;
  /** What the function `receive` of the module gets before all calls. */
  readonly input?: Uint8Array | undefined;
  readonly confined: Confined;
  /** The maximum duration of a call on the clock. Undefined for no limit. */
  readonly callMillis: number | undefined;
}
