import type { Publisher } from '@headrace/engine';

/** A publisher that reads only the header of a file: the first records end the reading and are dropped. */
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
