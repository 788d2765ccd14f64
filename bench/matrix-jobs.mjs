import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configOf } from './matrix/config.mjs';
import { writeData } from './matrix/data.mjs';
import { drawJobs } from './matrix/draw.mjs';
import { nineStageJobs } from './matrix/nine-stages.mjs';
import { FILE_NAMES } from './matrix/paths.mjs';
import { programOf } from './matrix/program.mjs';
import { headrace, inDirectory, inTurns, median, runNode } from './measure.mjs';

const DRAWN = 30;
const ROUNDS = 3;
const CHECKED_ROWS = 20_000;
const bulkServer = fileURLToPath(new URL('./matrix/bulk-server.mjs', import.meta.url));

/**
 * Many jobs, each by `headrace run`, by a program by hand that is generated for it, and by `headrace run` without
 * tables. A job with another output than the program by hand is a failure.
 */
export function matrixJobs({ seed, rows, jobs }) {
  return inDirectory(async (directory) => {
    const server = spawn(process.execPath, [bulkServer], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [port] = await once(server.stdout, 'data');
      const matrix = new Matrix(directory, `http://127.0.0.1:${Number(port)}`, rows);
      const results = [];
      for (const job of chosen([...nineStageJobs(), ...drawJobs(seed, DRAWN)], jobs)) {
        const row = await matrix.measure(job).catch((error) => ({ job: job.name, error: error.message }));
        console.error(`${job.name}: ${row.error ?? `${Math.round(row.share * 100)} %`}`);
        results.push(row);
      }
      return [...results, ...summary(results)];
    } finally {
      server.kill();
    }
  });
}

/** The first so many jobs, or those with a text in their name. */
function chosen(all, jobs) {
  if (jobs === undefined) return all;
  const found = /^\d+$/.test(jobs) ? all.slice(0, Number(jobs)) : all.filter(({ name }) => name.includes(jobs));
  if (found.length === 0)
    throw new Error(`No job has "${jobs}" in its name:\n${all.map(({ name }) => name).join('\n')}`);
  return found;
}

function summary(results) {
  const shares = results.filter(({ error }) => error === undefined).map(({ share }) => share);
  if (shares.length === 0) return [];
  const row = (job, share, goal) => ({ job, value: share * 100, unit: '% of by hand', goal });
  return [
    row('matrix: the lowest share', Math.min(...shares), '>= 45 % of by hand'),
    row('matrix: the median share', median(shares), '>= 60 % of by hand'),
  ];
}

class Matrix {
  #directory;
  #server;
  #rows;

  constructor(directory, server, rows) {
    this.#directory = directory;
    this.#server = server;
    this.#rows = rows;
  }

  async measure(job) {
    const data = `${this.#directory}/${FILE_NAMES[job.data.form]}`;
    const check = { ...job, sink: job.sink === 'nop' ? 'jsonl' : job.sink };
    writeData(data, job.data, Math.min(CHECKED_ROWS, this.#rows));
    await this.#compare(check, data);
    const documents = writeData(data, job.data, this.#rows);
    const runs = this.#runs(job, data);
    const results = await inTurns(ROUNDS, runs);
    rmSync(data);
    const seconds = (name) => median(results[name].map((result) => result.seconds));
    const of = (key) => median(results.ours.map((result) => result[key]));
    return {
      job: job.name,
      value: documents / seconds('ours'),
      unit: 'docs/s',
      byHand: documents / seconds('byHand'),
      share: seconds('byHand') / seconds('ours'),
      ofTablesOff: seconds('tablesOff') / seconds('ours'),
      cpu: of('cpu'),
      peak: of('peak'),
      goal: '>= 45 % of by hand',
    };
  }

  /** Throws unless all three write the same. */
  async #compare(job, data) {
    const outputs = {};
    for (const [name, run] of Object.entries(this.#runs(job, data, true))) {
      await run();
      outputs[name] = readOutput(`${this.#directory}/${name}.out`, job.sink);
    }
    for (const name of ['ours', 'tablesOff']) {
      const at = firstDifference(outputs.byHand, outputs[name]);
      if (at !== undefined) throw new Error(`${name} differs from by hand:\n${at}`);
    }
  }

  /** The three runs of a job. Each throws if its output has another size or another number of documents than that by hand. */
  #runs(job, data, keep = false) {
    const expected = {};
    const directory = this.#directory;
    const bulk = job.sink === 'bulk' ? this.#server : undefined;
    const run = (name, args, env, countOf) => async () => {
      const out = `${directory}/${name}.out`;
      rmSync(out, { force: true });
      if (bulk !== undefined) await fetch(`${bulk}/sum${keep ? `?keep=${out}` : ''}`);
      const result = await runNode(args, { env: { ...process.env, ...env }, cwd: directory });
      const sum = bulk === undefined ? hashOf(out) : await (await fetch(`${bulk}/sum`)).text();
      const made = `${countOf(result.output)} documents, ${sum}`;
      expected[job.name] ??= made;
      if (made !== expected[job.name]) throw new Error(`${name}: ${made}, but by hand ${expected[job.name]}`);
      return result;
    };
    const file = (name) => (job.sink === 'csv' || job.sink === 'jsonl' ? `${directory}/${name}.out` : undefined);
    const prepare = (name) => {
      writeFileSync(`${directory}/${name}.conf`, configOf(job, { data, out: file(name), bulk }));
      return [headrace, 'run', `${directory}/${name}.conf`];
    };
    writeFileSync(`${directory}/by-hand.mjs`, programOf(job, { data, out: file('byHand'), bulk }));
    return {
      byHand: run('byHand', [`${directory}/by-hand.mjs`], {}, (output) => Number.parseInt(output, 10)),
      ours: run('ours', prepare('ours'), {}, succeeded),
      tablesOff: run('tablesOff', prepare('tablesOff'), { HEADRACE_TABLES: 'off' }, succeeded),
    };
  }
}

/** How many documents a run has written. */
function succeeded(output) {
  const count = / (\d+) docs succeeded\. 0 docs failed\./.exec(output)?.[1];
  if (count === undefined) throw new Error(output);
  return Number(count);
}

function hashOf(file) {
  return existsSync(file) ? createHash('sha1').update(readFileSync(file)).digest('hex') : 'no output';
}

/** The documents that were written, one in each line. Bulk requests arrive in any order. */
function readOutput(file, sink) {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (sink !== 'bulk') return lines;
  return lines
    .map((line, i) => line + lines[i + 1])
    .filter((_, i) => i % 2 === 0)
    .sort();
}

/** Both lines in the first place in which they differ; undefined if they do not. */
function firstDifference(expected, found) {
  for (let i = 0; i < Math.max(expected.length, found.length); i++) {
    if (expected[i] !== found[i]) return `by hand ${expected[i]?.slice(0, 2000)}\nfound   ${found[i]?.slice(0, 2000)}`;
  }
  return undefined;
}
