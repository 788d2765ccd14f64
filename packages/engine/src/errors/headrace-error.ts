import type { ErrorCode } from './error-codes.ts';

/**
 * A failure that a user can act on: a code that programs decide by, a message for a person, a hint where one
 * helps. Across threads only these three travel (`toFailure`), never the class.
 */
export class HeadraceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Whether the same may succeed later. It matters where the error is thrown, and does not cross threads. */
  readonly passing: boolean;

  /** The error that a failure from another thread tells of. */
  static of({ code, message, hint }: Failure): HeadraceError {
    return new HeadraceError(code, message, hint === undefined ? {} : { hint });
  }

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown; passing?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HeadraceError';
    this.code = code;
    this.hint = options.hint;
    this.passing = options.passing === true;
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

/** Causes further down than this are left out; a chain of causes may even be a circle. */
const MAX_CAUSES = 8;

/** The message of anything thrown, with its causes: `cannot open the file <- ENOENT: …`. */
export function messageOf(error: unknown): string {
  const messages = [ownMessage(error)];
  let cause = causeOf(error);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    const message = ownMessage(cause);
    // Many a message quotes its cause already.
    if (!messages.at(-1)?.includes(message)) messages.push(message);
    cause = causeOf(cause);
  }
  return messages.join(' <- ');
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? undefined) : undefined;
}

function ownMessage(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  try {
    // Libraries throw objects of their own, and other realms have an Error of their own.
    const { message } = Object(error) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}
