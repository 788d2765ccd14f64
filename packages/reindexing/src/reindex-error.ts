/** An error that a user can act on. */
export class ReindexError extends Error {
  /** What to do. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = 'ReindexError';
    this.hint = hint;
  }
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
