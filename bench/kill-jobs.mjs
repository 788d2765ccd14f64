import { join } from 'node:path';
import { KILL_SETTINGS, killRepeatedly } from '../tests/service/kills.ts';
import { inDirectory } from './measure.mjs';
import { launch } from './service.mjs';

const KILLS = 200;
/** Services that are killed at the same time, each with a separate store: most of the time is their starts. */
const SERVICES = 4;
const SEED = 20_261_121;

/** Random kills under load; ends with an error as soon as something acknowledged is lost. */
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
