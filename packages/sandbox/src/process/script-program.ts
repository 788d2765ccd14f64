import type { Readable } from 'node:stream';

/** The running program of a script. */
export interface ScriptProgram {
  /** The number of the process, when it is known. */
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the program ended. Rejects if it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Writes to the standard input. If the program has ended, the text is lost. */
  write(text: string): void;
  /** Closes the standard input. */
  endInput(): void;
  /** Ends the program with SIGKILL. */
  kill(): void;
}

/**
 * Starts a program with a standard input. It must end with the thread that uses it, and the process of this thread must
 * wait for its end: the thread may be terminated at any time.
 */
export type StartProgram = (
  command: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly input: true },
) => ScriptProgram;
