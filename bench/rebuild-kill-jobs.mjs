import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killEngines, killRebuilds } from '../tests/reindexing/rebuild-kills.ts';
import { RebuildRuns } from '../tests/reindexing/rebuild-runs.ts';
import { inDirectory } from './measure.mjs';
import { withServer } from './servers.mjs';

/** How often our process is killed, and how often the search engine, whose restart takes long. */
const KILLS = 50;
const ENGINE_KILLS = 10;
const DOCUMENTS = 2000;

/**
 * Kills rebuilds of an index of OpenSearch at random moments, and then OpenSearch itself. Throws if the alias ever points
 * to a partial index.
 */
export function rebuildKillJobs() {
  return inDirectory((directory) =>
    withServer('opensearch', directory, async ({ url, pid, start }) => {
      const runs = new RebuildRuns('OpenSearch', () => url);
      let engine = pid;
      try {
        const rows = rowsOf('rebuild kills', await killRebuilds(runs, KILLS, DOCUMENTS));
        // A server with a given address cannot be killed.
        if (pid === undefined) return rows;
        const killable = {
          kill: async () => {
            process.kill(Number(engine), 'SIGKILL');
            while (isRunning(engine)) await sleep(20);
          },
          start: async () => {
            ({ pid: engine } = await start());
          },
        };
        return [...rows, ...rowsOf('OpenSearch kills', await killEngines(runs, killable, ENGINE_KILLS, DOCUMENTS))];
      } finally {
        await runs.close();
      }
    }),
  );
}

/** Returns whether a process has not ended: the last thread of a killed process keeps its port until then. */
function isRunning(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

function rowsOf(name, report) {
  return Object.entries(report).map(([what, value]) => ({ job: `${name}: alias ${what}`, value, unit: '' }));
}
