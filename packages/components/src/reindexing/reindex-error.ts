/** An error that a user can act on. */
export class ReindexError extends Error {
  /** What to do. */
  readonly hint: string | undefined;
  /** The position of the cause in the block `create`. */
  readonly parameter: readonly string[] | undefined;
  /** The HTTP status with which a server refused a request. */
  readonly status: number | undefined;

  constructor(message: string, hint?: string, parameter?: readonly string[], status?: number) {
    super(message);
    this.name = 'ReindexError';
    this.hint = hint;
    this.parameter = parameter;
    this.status = status;
  }
}
