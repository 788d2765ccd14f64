import { join } from 'node:path';
import { KILL_SETTINGS, killRepeatedly } from '../tests/service/kills.ts';
import { inDirectory } from './measure.mjs';
import { launch } from './service.mjs';

const KILLS = 200;
/** The number of services that are killed in parallel, each with a separate store. Most of the time is their starts. */
const SERVICES = 4;
const SEED = 20_261_121;

/** Kills services at random moments under load. Throws as soon as acknowledged data is lost. */
export function killJobs() {
  return inDirectory(async (directory) => {
    let started = 0;
    const series = async (_, n) => {
      const next = () => {
        if (started++ % 20 === 0) console.error(`kills: ${started} of ${KILLS}`);
        return launch(join(directory, String(n)), KILL_SETTINGS);
      };
      return killRepeatedly(next, KILLS / SERVICES, SEED + n);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: SERVICES }, series));
    const lost = outcomes.find(({ status }) => status === 'rejected');
    if (lost !== undefined) throw lost.reason;
    const reports = outcomes.map(({ value }) => value);
    return Object.keys(reports[0]).map((what) => {
      const value = reports.reduce((sum, report) => sum + report[what], 0);
      return { job: `kills: ${what}`, value, unit: '' };
    });
  });
}
