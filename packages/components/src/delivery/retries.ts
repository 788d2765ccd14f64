import { type IndexerContext, MAX_MILLIS, type Retries } from '@headrace/engine';
import { longestRetryAfter } from '../http/retry.ts';
import { Outages } from './outages.ts';

/**
 * Returns the retries that the block `indexer` configures. By default ten in about three minutes, so that a server may
 * restart.
 * @param destination its name for the log, which reports when it stops accepting documents, and when it continues
 */
export function retriesOf({ settings, onRetry, log }: IndexerContext, destination: string): Retries {
  const {
    maxRetries = 10,
    retryWaitDurationMs: first,
    retryMaxWaitDurationMs: longest,
    retryRandomizationFactor: part,
    retryableStatusCodes,
  } = settings;
  const statuses = new Set(retryableStatusCodes);
  const outages = new Outages(destination, log);
  return {
    ...(onRetry === undefined ? {} : { retried: onRetry }),
    hindered: (reason) => outages.begin(reason),
    taken: () => outages.end(),
    most: maxRetries,
    isRetryable: (status) => statuses.has(status),
    delay: (retry, retryAfter = 0) => {
      const wait = Math.min(first * 2 ** (retry - 1), longest);
      const jittered = wait * (1 + part * (2 * Math.random() - 1));
      return Math.min(Math.max(jittered, longestRetryAfter(retryAfter)), MAX_MILLIS);
    },
  };
}
