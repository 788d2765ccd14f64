// npm run bench [-- GROUP...] [--save FILE] [--compare FILE]
// Prints one table; speeds include the start of the process. Run it on an idle machine.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { missingJobs, readResults, tableRow } from './results.mjs';

/** The groups of measurements. A group is loaded only when it is measured, because some groups need extra packages. */
const groups = {
  throughput: {
    about: 'complete runs, compared with a program written by hand',
    measure: async () => (await import('./throughput-jobs.mjs')).throughputJobs(),
  },
  matrix: {
    about: 'many jobs, each compared with a program written by hand and with a run without tables',
    measure: async (options) => (await import('./matrix-jobs.mjs')).matrixJobs(options),
  },
  memory: {
    about: 'the memory of a file ten times as long, and with a slow indexer',
    measure: async () => (await import('./memory-jobs.mjs')).memoryJobs(),
  },
  sources: {
    about: 'small files, packed files, Postgres, OpenSearch',
    measure: async () => (await import('./source-jobs.mjs')).sourceJobs(),
  },
  large: {
    about: 'a file of 5 GB, an archive of a million entries',
    measure: async () => (await import('./large-jobs.mjs')).largeJobs(),
  },
  scaling: {
    about: 'more threads, larger documents, more stages',
    measure: async () => (await import('./scaling-jobs.mjs')).scalingJobs(),
  },
  distributed: {
    about: 'runs through a Kafka broker on this machine',
    measure: async () => (await import('./distributed/jobs.mjs')).distributedJobs(),
  },
  waiting: {
    about: 'stages that wait for a slow server',
    measure: async () => (await import('./waiting-jobs.mjs')).waitingJobs(),
  },
  service: {
    about: 'the service under load',
    measure: async () => (await import('./service-jobs.mjs')).serviceJobs(),
  },
  web: {
    about: 'the web application in Chromium',
    measure: async () => [
      ...(await (await import('./web-jobs.mjs')).webJobs()),
      ...(await (await import('./scroll-jobs.mjs')).scrollJobs()),
    ],
  },
  load: {
    about: 'the service with 10,000 configs and runs',
    measure: async () => (await import('./load-jobs.mjs')).loadJobs(),
  },
  soak: {
    about: 'the memory of the service over 5,000 small runs',
    measure: async () => (await import('./soak-jobs.mjs')).soakJobs(),
  },
  'memory-bombs': {
    about: 'small inputs that become large, for a service with 3 GiB',
    measure: async () => (await import('./memory-bomb-jobs.mjs')).memoryBombJobs(),
  },
  kills: {
    about: '200 random kills of services under load',
    measure: async () => (await import('./kill-jobs.mjs')).killJobs(),
  },
  'rebuild-kills': {
    about: '50 random kills of rebuilds of an index of OpenSearch',
    measure: async () => (await import('./rebuild-kill-jobs.mjs')).rebuildKillJobs(),
  },
  'rebuild-beside': {
    about: '30 rebuilds of 100,000 products beside incremental runs, with random kills',
    measure: async () => (await import('./rebuild-beside-jobs.mjs')).rebuildBesideJobs(),
  },
  skip: {
    about: 'runs into OpenSearch in which 1 % of the documents have changed, beside complete runs',
    measure: async () => (await import('./skip-jobs.mjs')).skipJobs(),
  },
  micro: {
    about: 'the parts of the data path, each measured alone',
    measure: async () => (await import('./micro-jobs.mjs')).microJobs(),
  },
  plugins: {
    about: 'each plugin compared with its library alone',
    measure: async () => (await import('./plugin-jobs.mjs')).pluginJobs(),
  },
  stages: {
    about: 'each stage compared with the same work written by hand',
    measure: async () => (await import('./stage-jobs.mjs')).stageJobs(),
  },
};

const help = `npm run bench [-- GROUP...] [--save FILE] [--compare FILE]

Measures the groups that are named, or all, and prints one table.

${Object.entries(groups)
  .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  .join('\n')}

  --save FILE     writes the results there, after each group
  --compare FILE  shows what has changed since these results were saved

Of the group matrix:
  --seed N        draws other jobs; defaults to 1
  --rows N        rows of a file; defaults to 300000
  --jobs N|TEXT   only the first N jobs, or those with this text in their name
  --check         only compares the outputs
`;

/** Parses the command line. Throws an error with a message for the user. */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      save: { type: 'string' },
      compare: { type: 'string' },
      seed: { type: 'string', default: '1' },
      rows: { type: 'string', default: '300000' },
      jobs: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(groups, name));
  if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(', ')}: ${Object.keys(groups).join(', ')}`);
  const before = values.compare === undefined ? undefined : readResults(values.compare);
  if (values.save !== undefined && !values.help) checkWritable(values.save);
  const wanted = positionals.length === 0 ? Object.keys(groups) : [...new Set(positionals)];
  const { jobs, check } = values;
  const matrix = { seed: wholeNumber('seed', values.seed), rows: wholeNumber('rows', values.rows), jobs, check };
  return { wanted, before, matrix, save: values.save, help: values.help === true };
}

function wholeNumber(option, text) {
  if (!/^\d+$/.test(text)) throw new Error(`--${option} must be a whole number, was ${text}`);
  return Number(text);
}

/** Checks the file now, not after twenty minutes of measuring. Its content is kept until there are new results. */
function checkWritable(path) {
  try {
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new Error(`Cannot save the results: ${error.message}`);
  }
}

async function measureAll({ wanted, before, matrix, save }) {
  const rows = [];
  for (const group of wanted) {
    try {
      rows.push(...(await groups[group].measure(matrix)).map((row) => ({ group, ...row })));
    } catch (error) {
      rows.push({ group, job: `all of ${group}`, error: error.stack ?? String(error) });
    }
    if (save !== undefined) writeFileSync(save, `${JSON.stringify(rows, null, 2)}\n`);
  }
  console.table(rows.map((row) => tableRow(row, before)));
  for (const line of missingJobs(rows, before, wanted)) console.log(line);
  const failed = rows.filter(({ error }) => error !== undefined);
  for (const { job, error } of failed) console.error(`\n${job} failed: ${error}`);
  if (failed.length > 0) process.exitCode = 1;
}

let asked;
try {
  asked = readArguments();
} catch (error) {
  console.error(`${error.message}\nnpm run bench -- --help shows more.`);
  process.exitCode = 2;
}
if (asked?.help) process.stdout.write(help);
else if (asked !== undefined) await measureAll(asked);
