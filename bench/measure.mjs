import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const headrace = fileURLToPath(new URL('../packages/headrace/bin/headrace.js', import.meta.url));

/** Runs `work` with a temporary folder, and removes the folder afterwards. */
export async function inDirectory(work) {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Repeats each measurement in turns, so that other work on the machine affects all. Returns all results by name. */
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

/** Returns the peak resident memory of a process in MiB, or undefined if the process is gone. */
export function peakMemory(pid) {
  try {
    // A process that has just ended is still listed, but without its memory.
    const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found) / 1024;
  } catch {
    return undefined;
  }
}

/** Returns the current resident memory of a process in MiB. */
export function memory(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Returns the processor time of a process and all its threads so far, or undefined if the process is gone. */
export function cpuSeconds(pid) {
  try {
    // The name of the program is in brackets, and may contain blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** Yields the child processes of a process, and their child processes. */
function* childProcesses(pid) {
  let lists;
  try {
    lists = readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'));
  } catch {
    // The process has ended.
    return;
  }
  for (const child of lists.flatMap((list) => list.split(' ')).filter(Boolean)) {
    yield child;
    yield* childProcesses(child);
  }
}

/** Returns the processor time of all finished child processes of this process. */
function cpuSecondsOfEnded() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * Runs a Node program until it ends. Returns the seconds, the processor seconds, the peak memory in MiB and the output.
 * The processor seconds include those of the child processes of the program, and of other child processes that end in
 * the meantime.
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
    // The system forgets the time of a process whose parent has ended before it, such as that of a helper process.
    const used = new Map();
    const poll = setInterval(() => {
      peak = peakMemory(child.pid) ?? peak;
      for (const pid of [child.pid, ...childProcesses(child.pid)]) used.set(pid, cpuSeconds(pid) ?? used.get(pid) ?? 0);
    }, 50);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearInterval(poll);
      if (code !== 0) reject(new Error(`${args.join(' ')} ended with ${code}:\n${errors}${output}`));
      else {
        const seen = [...used.values()].reduce((sum, seconds) => sum + seconds, 0);
        const cpu = Math.max(cpuSecondsOfEnded() - before, seen);
        resolve({ seconds: (performance.now() - started) / 1000, cpu, peak, output });
      }
    });
  });
}

/** Runs a config with default settings, as `runNode` does. Throws unless exactly this many documents succeeded. */
export async function runConfig(directory, config, documents) {
  const file = `${directory}/job.conf`;
  writeFileSync(file, config);
  const result = await runNode([headrace, 'run', file]);
  if (!result.output.includes(` ${documents} docs succeeded. 0 docs failed.`)) throw new Error(result.output);
  return result;
}

/** Returns the fastest of several results. */
export function fastest(results) {
  return results.reduce((a, b) => (a.seconds < b.seconds ? a : b));
}
