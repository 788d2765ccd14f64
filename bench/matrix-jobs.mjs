import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeData } from './matrix/data.mjs';
import { drawJobs } from './matrix/draw.mjs';
import { nineStageJobs } from './matrix/nine-stages.mjs';
import { FILE_NAMES } from './matrix/paths.mjs';
import { compareOutputs, runsOf } from './matrix/runs.mjs';
import { withTable } from './matrix/table.mjs';
import { inDirectory, inTurns, median } from './measure.mjs';

const DRAWN = 30;
const ROUNDS = 3;
const CHECKED_ROWS = 20_000;
const GOAL = '>= 45 % of by hand';
const bulkServer = fileURLToPath(new URL('./matrix/bulk-server.mjs', import.meta.url));

/**
 * Runs many jobs, each with `headrace run`, with a generated program by hand, and with `headrace run` without tables. A
 * job fails if its output differs from that of the program by hand. With `check`, nothing is measured.
 */
export function matrixJobs({ seed, rows, jobs, check }) {
  const wanted = chosen([...nineStageJobs(), ...drawJobs(seed, DRAWN)], jobs);
  return inDirectory(async (directory) => {
    const server = spawn(process.execPath, [bulkServer], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [port] = await once(server.stdout, 'data');
      const places = { directory, bulk: `http://127.0.0.1:${Number(port)}` };
      const all = async (list, source) => {
        const results = [];
        for (const job of list) results.push(await resultOf(job, places, source, rows, check));
        return results;
      };
      const ofTable = ({ data }) => data.form === 'table';
      const results = await all(
        wanted.filter((job) => !ofTable(job)),
        fileSource,
      );
      const tables = wanted.filter(ofTable);
      if (tables.length > 0) results.push(...(await withTable(directory, rows, (source) => all(tables, source))));
      return [...results, ...summary(results)];
    } finally {
      server.kill();
    }
  });
}

/** Returns the first jobs if `jobs` is a number, else the jobs with that text in their name. */
function chosen(all, jobs) {
  if (jobs === undefined) return all;
  const found = /^\d+$/.test(jobs) ? all.slice(0, Number(jobs)) : all.filter(({ name }) => name.includes(jobs));
  if (found.length === 0)
    throw new Error(`No job has "${jobs}" in its name:\n${all.map(({ name }) => name).join('\n')}`);
  return found;
}

/** Writes the file of a job with at most this many rows. Returns the number of rows and the path. */
function fileSource({ data }, { directory }, rows) {
  const path = `${directory}/${FILE_NAMES[data.form]}`;
  return { rows: writeData(path, data, rows), data: path };
}

async function resultOf(job, places, source, rows, check) {
  let row;
  try {
    const some = source(job, places, Math.min(CHECKED_ROWS, rows));
    await compareOutputs(job, { ...places, ...some });
    row = check ? { job: job.name, value: some.rows, unit: 'equal rows' } : await measure(job, places, source, rows);
  } catch (error) {
    row = { job: job.name, error: error.message };
  }
  console.error(row.error === undefined ? `${job.name}: ${percent(row.share)}` : `${job.name} failed`);
  return row;
}

function percent(share) {
  return share === undefined ? 'equal' : `${Math.round(share * 100)} % of by hand`;
}

async function measure(job, places, source, rows) {
  const all = source(job, places, rows);
  const results = await inTurns(ROUNDS, runsOf(job, { ...places, ...all }));
  if (all.data !== undefined) rmSync(all.data);
  const of = (name, key) => median(results[name].map((result) => result[key]));
  const seconds = of('ours', 'seconds');
  return {
    job: job.name,
    value: all.rows / seconds,
    unit: 'docs/s',
    byHand: all.rows / of('byHand', 'seconds'),
    share: of('byHand', 'seconds') / seconds,
    ofTablesOff: of('tablesOff', 'seconds') / seconds,
    cpu: of('ours', 'cpu'),
    cpuByHand: of('byHand', 'cpu'),
    peak: of('ours', 'peak'),
    goal: GOAL,
  };
}

/** Returns the speed of the nine-stage job without tables, as a share of its speed with tables. */
function rowPath(results) {
  const plain = results.find(({ job, share }) => job === 'nine stages: plain' && share !== undefined);
  if (plain === undefined) return [];
  return [
    { job: 'matrix: the row path', value: 100 / plain.ofTablesOff, unit: '% of tables', goal: '>= 60 % of tables' },
  ];
}

function summary(results) {
  const shares = results.map(({ share }) => share).filter((share) => share !== undefined);
  if (shares.length === 0) return [];
  const row = (job, share, goal) => ({ job, value: share * 100, unit: '% of by hand', goal });
  return [
    row('matrix: the lowest share', Math.min(...shares), GOAL),
    row('matrix: the median share', median(shares), '>= 60 % of by hand'),
    ...rowPath(results),
  ];
}
