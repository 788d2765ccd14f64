/** What the process ends with. Scripts decide by it. */
export const EXIT = {
  ok: 0,
  /** The run, or what was asked for, failed. */
  failed: 1,
  /** The command line or a config has mistakes: nothing was done. */
  invalid: 2,
} as const;

/** Ends the command with a message for the user and no stack: something outside is wrong, not Headrace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
