// npm run bench [-- service|throughput] [--save FILE] [--compare FILE]
// Prints one table; speeds include the start of the process. Run it on an idle machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serviceJobs } from './service-jobs.mjs';
import { throughputJobs } from './throughput-jobs.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'string' }, compare: { type: 'string' } },
});
const groups = { throughput: throughputJobs, service: serviceJobs };
const wanted = positionals.length === 0 ? Object.keys(groups) : positionals;
const before = values.compare === undefined ? [] : JSON.parse(readFileSync(values.compare, 'utf8'));

const rows = [];
for (const name of wanted) {
  if (!(name in groups)) throw new Error(`There is no group ${name}: ${Object.keys(groups).join(', ')}`);
  rows.push(...(await groups[name]()));
}
console.table(
  rows.map(({ job, value, unit, mbPerSecond, peak, goal }) => {
    const earlier = before.find((row) => row.job === job)?.value;
    return {
      job,
      value: value >= 100 ? Math.round(value) : Number(value.toFixed(3)),
      unit,
      'MB/s': mbPerSecond === undefined ? '' : Math.round(mbPerSecond),
      'peak MiB': peak === undefined ? '' : Math.round(peak),
      goal: goal ?? '',
      change: earlier === undefined ? '' : `${((value / earlier - 1) * 100).toFixed(1)} %`,
    };
  }),
);
if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(rows, null, 2)}\n`);
