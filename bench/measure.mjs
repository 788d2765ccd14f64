import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const headrace = fileURLToPath(new URL('../packages/headrace/bin/headrace.js', import.meta.url));

/** Returns a directory to work in, and removes it afterwards. */
export async function inDirectory(work) {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Each of the measurements so many times, in turns: what else the machine does hits all of them. Gives all results, by name. */
export async function inTurns(rounds, measurements) {
  const results = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(measurements)) results[name].push(await measure());
  }
  return results;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Peak resident memory of a process so far, in MiB; undefined if it is gone. */
export function peakMemory(pid) {
  try {
    // A process that has just ended is still listed, without its memory.
    const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found) / 1024;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process now, in MiB. */
export function memory(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Processor time that a process has taken so far, all of its threads; undefined if it is gone. */
export function cpuSeconds(pid) {
  try {
    // The name of the program, in brackets, may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** Processor time of all processes that this one has started and seen the end of. */
function cpuSecondsOfEnded() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * Runs a Node program to its end; returns seconds, those of processors, peak memory in MiB, and what it printed. The
 * seconds of processors have those of other programs in them that end meanwhile.
 */
export function runNode(args, options = {}) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const before = cpuSecondsOfEnded();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    let errors = '';
    let peak = 0;
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (errors += data));
    const poll = setInterval(() => (peak = peakMemory(child.pid) ?? peak), 50);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearInterval(poll);
      if (code !== 0) reject(new Error(`${args.join(' ')} ended with ${code}:\n${errors}${output}`));
      else {
        const cpu = cpuSecondsOfEnded() - before;
        resolve({ seconds: (performance.now() - started) / 1000, cpu, peak, output });
      }
    });
  });
}

/** Runs a config with default settings to its end, as `runNode` does. Throws unless so many documents succeeded, and all. */
export async function runConfig(directory, config, documents) {
  const file = `${directory}/job.conf`;
  writeFileSync(file, config);
  const result = await runNode([headrace, 'run', file]);
  if (!result.output.includes(` ${documents} docs succeeded. 0 docs failed.`)) throw new Error(result.output);
  return result;
}

/** The fastest of some results. */
export function fastest(results) {
  return results.reduce((a, b) => (a.seconds < b.seconds ? a : b));
}
