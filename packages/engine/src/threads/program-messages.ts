import type { Confined } from './confinement.ts';

/** The streams of a program that its user reads. */
export type ProgramStream = 'stdout' | 'stderr';

/** To the thread that keeps the processes, once for each program. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Open files of this process that the program gets as its descriptors from 3. */
  readonly files: readonly number[];
  /** Whether the program has a standard input. */
  readonly input: boolean;
  /** What the program may see and use. Undefined if it may do what this process may do. */
  readonly confined: Confined | undefined;
}

/**
 * From the user of a program: it needs the next piece of a stream, the program gets a text, or nothing more, or it must end.
 */
export type ProgramRequest = { readonly read: ProgramStream } | { readonly write: string } | 'endInput' | 'kill';

/**
 * From the thread that keeps the processes: the number of the process; a piece of a stream, or null at its end; or how the
 * program ended.
 */
export type ProgramNews =
  | { readonly pid: number }
  | { readonly stream: ProgramStream; readonly bytes: Uint8Array | null }
  | ProgramEnd
  | { readonly failed: Error };

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended, if its memory was needed. */
  readonly reason?: string | undefined;
}
