// npm run bench [-- GROUP...] [--save FILE] [--compare FILE]
// Prints one table; speeds include the start of the process. Run it on an idle machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { killJobs } from './kill-jobs.mjs';
import { loadJobs } from './load-jobs.mjs';
import { memoryJobs } from './memory-jobs.mjs';
import { microJobs } from './micro-jobs.mjs';
import { scalingJobs } from './scaling-jobs.mjs';
import { serviceJobs } from './service-jobs.mjs';
import { soakJobs } from './soak-jobs.mjs';
import { stageJobs } from './stage-jobs.mjs';
import { throughputJobs } from './throughput-jobs.mjs';
import { waitingJobs } from './waiting-jobs.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'string' }, compare: { type: 'string' } },
});
const groups = {
  throughput: throughputJobs,
  memory: memoryJobs,
  scaling: scalingJobs,
  waiting: waitingJobs,
  service: serviceJobs,
  load: loadJobs,
  soak: soakJobs,
  kills: killJobs,
  micro: microJobs,
  stages: stageJobs,
};
const wanted = positionals.length === 0 ? Object.keys(groups) : positionals;
const before = values.compare === undefined ? [] : JSON.parse(readFileSync(values.compare, 'utf8'));

const rows = [];
for (const name of wanted) {
  if (!(name in groups)) throw new Error(`There is no group ${name}: ${Object.keys(groups).join(', ')}`);
  rows.push(...(await groups[name]()));
}
console.table(
  rows.map(({ job, value, unit, mbPerSecond, peak, byHand, share, goal }) => {
    const earlier = before.find((row) => row.job === job)?.value;
    return {
      job,
      value: value >= 100 ? Math.round(value) : Number(value.toFixed(3)),
      unit,
      'MB/s': mbPerSecond === undefined ? '' : Math.round(mbPerSecond),
      'peak MiB': peak === undefined ? '' : Math.round(peak),
      'by hand': byHand === undefined ? '' : Math.round(byHand),
      'of by hand': share === undefined ? '' : `${Math.round(share * 100)} %`,
      goal: goal ?? '',
      change: earlier === undefined ? '' : `${((value / earlier - 1) * 100).toFixed(1)} %`,
    };
  }),
);
if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(rows, null, 2)}\n`);
