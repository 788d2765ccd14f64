/** What is tried again, how often, and after which wait. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** Milliseconds before the first retry; each further one waits twice as long. */
  readonly initialDelay: number;
  readonly maxDelay: number;
  /** The statuses that may be others the next time. Lost connections and time-outs are always tried again. */
  readonly statuses: (status: number) => boolean;
}

/** Overload, and the gateways before a server that restarts. */
export function isTransient(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

export const NO_RETRY: RetryPolicy = { retries: 0, initialDelay: 0, maxDelay: 0, statuses: () => false };

/** For requests that change nothing, or may be sent twice: about eight seconds in all. */
export const DEFAULT_RETRY: RetryPolicy = { retries: 5, initialDelay: 250, maxDelay: 10_000, statuses: isTransient };

/**
 * Milliseconds for an answer of a server that is written to and may only be slow. Otherwise its delayed work would come
 * after the next request.
 */
export const WRITE_ANSWER_MS = 120_000;

/** A server that asks for more patience is asked sooner: a document should fail rather than hang. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Milliseconds to wait before a retry (from 1): exponential with jitter, at least half of the full wait, so that
 * documents that failed together do not come back together. A server's `Retry-After` counts when it is longer.
 */
export function retryDelay(policy: RetryPolicy, retry: number, retryAfter?: number): number {
  const full = Math.min(policy.initialDelay * 2 ** (retry - 1), policy.maxDelay);
  const jittered = full * (0.5 + Math.random() / 2);
  return Math.max(jittered, longestRetryAfter(retryAfter ?? 0));
}

/** How much of the patience that a server asks for it gets, in milliseconds. */
export function longestRetryAfter(retryAfter: number): number {
  return Math.min(retryAfter, MAX_RETRY_AFTER_MS);
}

/** Milliseconds that a `Retry-After` header asks for, in seconds or as a date (RFC 9110); undefined if it is neither. */
export function readRetryAfter(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
