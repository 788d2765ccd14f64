/** An error that a user can act on. */
export class ReindexError extends Error {
  /** What to do. */
  readonly hint: string | undefined;
  /** The position of the cause in the block `create`. */
  readonly parameter: readonly string[] | undefined;

  constructor(message: string, hint?: string, parameter?: readonly string[]) {
    super(message);
    this.name = 'ReindexError';
    this.hint = hint;
    this.parameter = parameter;
  }
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
