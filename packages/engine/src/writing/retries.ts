import type { DeliveryFailure } from './delivery.ts';

/** The status of a request without a response: the server was not reachable, or did not answer. */
export const NO_ANSWER = -1;

/** The rules for sending requests again: which, how often, and after which wait. */
export interface Retries {
  /** The number of attempts after the first. */
  readonly most: number;
  /** Returns whether a retry may succeed after this status. */
  isRetryable(status: number): boolean;
  /**
   * Returns the milliseconds to wait before a retry (from 1).
   * @param retryAfter the milliseconds that the server requests; at most a minute is used
   */
  delay(retry: number, retryAfter?: number): number;
  /** Called with the number of documents that are sent again. */
  retried?(documents: number): void;
  /** Called with the reason if the destination accepted no document and requests are retried. */
  hindered?(reason: DeliveryFailure): void;
  /** Called when the destination accepted a document. */
  taken?(): void;
}
