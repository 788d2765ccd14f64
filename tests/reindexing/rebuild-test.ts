import { it } from 'vitest';
import { RebuildRuns } from './rebuild-runs.ts';

/**
 * Returns `it` with runs of a separate alias for each test, so that tests can run at the same time: they mostly wait for
 * the search engine.
 */
export function rebuildTest(type: 'OpenSearch' | 'Elasticsearch', url: () => string) {
  return it.extend<{ runs: RebuildRuns }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from the pattern
    runs: async ({}, use) => {
      const runs = new RebuildRuns(type, url);
      await use(runs);
      await runs.close();
    },
  });
}
