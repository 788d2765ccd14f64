import type { ErrorCode } from './error-codes.ts';

/**
 * Errors of single documents and records, which have no stack trace. All documents of a run may fail, to record the
 * stack takes longer than most stages, and only the message is sent on.
 */
const UNTRACED: ReadonlySet<ErrorCode> = new Set(['HR_STAGE_FAILED', 'HR_DOCUMENT_SYNTAX', 'HR_RECORD_UNREADABLE']);

/**
 * An error that a user can act on: a code for programs, a message for people, and an optional hint. These three
 * properties are sent between threads (`toFailure`). The class itself is not.
 */
export class HeadraceError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /**
   * True if the same operation may succeed later. Code in the same thread reads it. It is not sent to other threads.
   */
  readonly passing: boolean;

  /** Returns the error for a failure from another thread. */
  static of({ code, message, hint }: Failure): HeadraceError {
    return new HeadraceError(code, message, hint === undefined ? {} : { hint });
  }

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown; passing?: boolean } = {}) {
    const limit = Error.stackTraceLimit;
    if (UNTRACED.has(code)) Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = limit;
    this.name = 'HeadraceError';
    this.code = code;
    this.hint = options.hint;
    this.passing = options.passing === true;
  }
}

/** The parts of an error that are sent between threads and stored. */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint?: string;
}

/** Converts any thrown value to a failure. A value that is not a HeadraceError gets the given code. */
export function toFailure(error: unknown, code: ErrorCode): Failure {
  const hint = hintOf(error);
  const known = error instanceof HeadraceError;
  return {
    code: known ? error.code : code,
    message: known ? error.message : messageOf(error),
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * Returns the hint of an error. Libraries that do not know the engine have error classes with a property `hint`, and so
 * has the driver of Postgres.
 */
export function hintOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { hint } = error as { hint?: unknown };
  return typeof hint === 'string' && hint !== '' ? hint : undefined;
}

/** The maximum number of causes to read. A chain of causes can be circular. */
const MAX_CAUSES = 8;

/** Returns the message of any thrown value, followed by its causes: `cannot open the file <- ENOENT: …`. */
export function messageOf(error: unknown): string {
  const messages = [ownMessage(error)];
  let cause = causeOf(error);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    const message = ownMessage(cause);
    // Skip a cause that the previous message already quotes. Many messages do so.
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
    // Libraries throw plain objects, and other realms have a separate Error class.
    const { message } = Object(error) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}
