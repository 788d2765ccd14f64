/** The exit codes of the process, for scripts. */
export const EXIT = {
  ok: 0,
  /** The run, or another requested action, failed. */
  failed: 1,
  /** The command line or a config has errors, and nothing was done. */
  invalid: 2,
} as const;

/** An error that ends the command with a message and without a stack, because its cause is outside Headrace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
