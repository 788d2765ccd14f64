import { isTransient } from '@headrace/engine';

export { isTransient };

/** The rules for retrying requests: which, how often, and after which wait. */
export interface RetryPolicy {
  /** The number of attempts after the first. */
  readonly retries: number;
  /** The wait before the first retry in milliseconds; it doubles with each retry. */
  readonly initialDelay: number;
  readonly maxDelay: number;
  /** Whether a status may be temporary. Lost connections are always retried. */
  readonly statuses: (status: number) => boolean;
  /** Whether a request without a response in time is sent again. Defaults to true. */
  readonly timeouts?: boolean;
  /** Whether a complete response with a status that may be temporary is final, because of what it says. */
  readonly isFinal?: (status: number, body: Buffer) => boolean;
  /**
   * The maximum wait, in milliseconds, that the server can request. A longer request is final. By default, the wait is a
   * minute if the server requests more.
   */
  readonly longestWait?: number;
}

/** A wait before a retry. */
export interface RetryWait {
  readonly milliseconds: number;
  /** The answer, or the failure, that the wait follows. In plain text without secrets. */
  readonly reason: string;
}

export const NO_RETRY: RetryPolicy = { retries: 0, initialDelay: 0, maxDelay: 0, statuses: () => false };

/** For requests that change nothing or may be sent twice: retries for about eight seconds in total. */
export const DEFAULT_RETRY: RetryPolicy = { retries: 5, initialDelay: 250, maxDelay: 10_000, statuses: isTransient };

/**
 * The maximum wait, in milliseconds, for the response to a write. It is long because a slow server may still process
 * the request: after a short time-out, its work would overlap with the next request.
 */
export const WRITE_ANSWER_MS = 120_000;

/** The maximum wait that a server can request. After that, a document should fail rather than wait. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the milliseconds to wait before a retry (from 1): exponential with jitter, at least half of the full wait, so
 * that documents that failed together are not retried together. A longer `Retry-After` of the server takes precedence.
 */
export function retryDelay(policy: RetryPolicy, retry: number, retryAfter?: number): number {
  const full = Math.min(policy.initialDelay * 2 ** (retry - 1), policy.maxDelay);
  const jittered = full * (0.5 + Math.random() / 2);
  const wanted = retryAfter ?? 0;
  return Math.max(jittered, policy.longestWait === undefined ? longestRetryAfter(wanted) : wanted);
}

/** Limits the wait that a server requests, in milliseconds. */
export function longestRetryAfter(retryAfter: number): number {
  return Math.min(retryAfter, MAX_RETRY_AFTER_MS);
}

/**
 * Parses a `Retry-After` header, in seconds or as a date (RFC 9110). Returns milliseconds; undefined if it is invalid.
 */
export function readRetryAfter(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
