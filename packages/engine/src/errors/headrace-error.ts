import type { ErrorCode } from './error-codes.ts';

/**
 * A failure that a user can act on: a code that programs decide by, a message for a person, a hint where one
 * helps. Across threads only these three travel (`toFailure`), never the class.
 */
export class HeadraceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HeadraceError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** What is left of an error when it crosses a thread or is stored. */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint?: string;
}

/** The transportable form of anything thrown; an error that is not ours gets the given code. */
export function toFailure(error: unknown, code: ErrorCode): Failure {
  if (error instanceof HeadraceError) {
    return { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
  return { code, message: messageOf(error) };
}

/** The message of anything thrown, with its causes: `cannot open the file <- ENOENT: …`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || error.name;
  return error.cause === undefined ? own : `${own} <- ${messageOf(error.cause)}`;
}
