import { BulkEngine } from '../packages/components/src/testing/indexers/bulk-engine.ts';
import { killRebuilds } from '../packages/components/src/testing/indexers/rebuild-kills.ts';
import { RebuildRuns } from '../packages/components/src/testing/indexers/rebuild-runs.ts';
import { inDirectory } from './measure.mjs';
import { withServer } from './servers.mjs';

const KILLS = 50;
const DOCUMENTS = 2000;

/** Kills rebuilds of an index of OpenSearch at random moments. Throws if the alias ever points to a partial index. */
export function rebuildKillJobs() {
  return inDirectory((directory) =>
    withServer('opensearch', directory, async ({ url }) => {
      const runs = new RebuildRuns(new BulkEngine('OpenSearch', () => url), () => url);
      try {
        const report = await killRebuilds(runs, url, KILLS, DOCUMENTS);
        return Object.entries(report).map(([what, value]) => ({
          job: `rebuild kills: alias ${what}`,
          value,
          unit: '',
        }));
      } finally {
        await runs.close();
      }
    }),
  );
}
