import { killRebuilds } from '../tests/reindexing/rebuild-kills.ts';
import { RebuildRuns } from '../tests/reindexing/rebuild-runs.ts';
import { inDirectory } from './measure.mjs';
import { withServer } from './servers.mjs';

const KILLS = 50;
const DOCUMENTS = 2000;

/** Kills rebuilds of an index of OpenSearch at random moments. Throws if the alias ever points to a partial index. */
export function rebuildKillJobs() {
  return inDirectory((directory) =>
    withServer('opensearch', directory, async ({ url }) => {
      const runs = new RebuildRuns('OpenSearch', () => url);
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
