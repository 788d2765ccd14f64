import type { Publisher } from '@headrace/engine';

/** Creates a publisher that reads only the header of a file: it aborts at the first records and drops them. */
export function headerOnly(): Publisher {
  const enough = new AbortController();
  const end = () => {
    enough.abort();
    return undefined;
  };
  return {
    signal: enough.signal,
    publish: end,
    publishChunk: async () => end(),
    reject: end,
    settled: async () => undefined,
  };
}
