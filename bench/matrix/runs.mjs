import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { headrace, runNode } from '../measure.mjs';
import { configOf } from './config.mjs';
import { programOf } from './program.mjs';

/**
 * Returns the three runs of a job: the program by hand, `headrace run`, and `headrace run` without tables. The program
 * by hand must run first. A run throws if its output differs from that of the program by hand. Of bulk requests, only
 * the size is compared, because they arrive in any order.
 *
 * @param places `directory` for files, `data` with the file to read, `bulk` with the address for bulk requests,
 * `database`
 *   with the address of a database, and `rows` with the number of rows to read
 * @param keep true to keep the outputs without comparing them, see `compareOutputs`
 */
export function runsOf(job, places, keep = false) {
  let expected;
  const { directory } = places;
  const bulk = job.sink === 'bulk' ? places.bulk : undefined;
  const run = (name, args, env, countOf) => async () => {
    const out = outputOf(directory, name);
    rmSync(out, { force: true });
    if (bulk !== undefined) await fetch(`${bulk}/sum${keep ? `?keep=${out}` : ''}`);
    const result = await runNode(args, { env: { ...process.env, ...env }, cwd: directory });
    const sum = bulk !== undefined ? await (await fetch(`${bulk}/sum`)).text() : keep ? '' : hashOf(out);
    const made = `${countOf(result.output)} documents, ${sum}`;
    expected ??= made;
    if (made !== expected && !keep) throw new Error(`${name}: ${made}, but by hand ${expected}`);
    return result;
  };
  const placesOf = (name) => {
    const isFile = job.sink === 'csv' || job.sink === 'jsonl';
    return { ...places, bulk, out: isFile ? outputOf(directory, name) : undefined };
  };
  const prepare = (name) => {
    const file = `${directory}/${name}.conf`;
    writeFileSync(file, configOf(job, placesOf(name)));
    return [headrace, 'run', file];
  };
  const program = `${directory}/by-hand.mjs`;
  writeFileSync(program, programOf(job, placesOf('byHand')));
  return {
    byHand: run('byHand', [program], {}, (output) => Number.parseInt(output, 10)),
    ours: run('ours', prepare('ours'), {}, succeeded),
    tablesOff: run('tablesOff', prepare('tablesOff'), { HEADRACE_TABLES: 'off' }, succeeded),
  };
}

/** Runs a job in all three ways. Throws an error with the first different document unless the outputs are equal. */
export async function compareOutputs(job, places) {
  const check = { ...job, sink: job.sink === 'nop' ? 'jsonl' : job.sink };
  for (const run of Object.values(runsOf(check, places, true))) await run();
  const read = (name) => readOutput(outputOf(places.directory, name), check.sink);
  const expected = read('byHand');
  if (expected.length < 2) throw new Error('The program by hand wrote nothing');
  for (const name of ['ours', 'tablesOff']) {
    const difference = firstDifference(expected, read(name));
    if (difference !== undefined) throw new Error(`${name} differs from the program by hand:\n${difference}`);
  }
}

function outputOf(directory, name) {
  return `${directory}/${name}.out`;
}

/** Returns the number of documents that a run has written. */
function succeeded(output) {
  const count = / (\d+) docs succeeded\. 0 docs failed\./.exec(output)?.[1];
  if (count === undefined) throw new Error(output);
  return Number(count);
}

function hashOf(file) {
  return existsSync(file) ? createHash('sha1').update(readFileSync(file)).digest('hex') : 'no output';
}

/** Reads the written lines. The two lines of each bulk document stay together, sorted by their text. */
function readOutput(file, sink) {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (sink !== 'bulk') return lines;
  return lines
    .map((line, i) => line + lines[i + 1])
    .filter((_, i) => i % 2 === 0)
    .sort();
}

/** Returns the text around the first difference of two outputs, or undefined if they are equal. */
function firstDifference(expected, found) {
  for (let i = 0; i < Math.max(expected.length, found.length); i++) {
    if (expected[i] === found[i]) continue;
    const [a, b] = [expected[i] ?? '', found[i] ?? ''];
    let at = 0;
    while (at < a.length && a[at] === b[at]) at++;
    const around = (text) => text.slice(Math.max(0, at - 200), at + 300);
    return `line ${i + 1}, character ${at + 1}\nby hand …${around(a)}\nfound   …${around(b)}`;
  }
  return undefined;
}
