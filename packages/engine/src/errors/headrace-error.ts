import type { ErrorCode } from './error-codes.ts';

/**
 * A failure that a user can act on: a code for programs, a message for people, and a hint if one helps. Only these
 * three cross threads (`toFailure`), never the class.
 */
export class HeadraceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Whether the same operation may succeed later. The code near the error needs it; it does not cross threads. */
  readonly passing: boolean;

  /** The error for a failure from another thread. */
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

/** The parts of an error that cross threads and are stored. */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint?: string;
}

/** Converts anything thrown to a failure. An error that is not a Headrace error gets the given code. */
export function toFailure(error: unknown, code: ErrorCode): Failure {
  if (error instanceof HeadraceError) {
    return { code: error.code, message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
  return { code, message: messageOf(error) };
}

/** The maximum depth of a chain of causes. A chain may be a circle. */
const MAX_CAUSES = 8;

/** The message of anything thrown, with its causes: `cannot open the file <- ENOENT: …`. */
export function messageOf(error: unknown): string {
  const messages = [ownMessage(error)];
  let cause = causeOf(error);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    const message = ownMessage(cause);
    // Many messages already quote their cause.
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
    // Libraries throw plain objects, and other realms have their own Error class.
    const { message } = Object(error) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}
