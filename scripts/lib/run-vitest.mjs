// Runs Vitest, and makes sure that it ends.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { env, root } from './root.mjs';

/** How often the report is looked for. */
const LOOK_MILLIS = 1000;

/**
 * Runs Vitest and shows its output. Vitest waits without end for each process that a test left and that still
 * holds the output of the test. So Vitest is ended if it has not ended some time after its report.
 *
 * @param report the path of the JSON report, which Vitest writes after the last test
 * @param endMillis how long Vitest may take to end after its report
 * @param directory where Vitest runs
 * @returns the exit code, and the list of the processes that were left if Vitest did not end by itself
 */
export async function runVitest(args, report, endMillis, directory = root) {
  const vitest = spawn('vitest', args, { cwd: directory, env, stdio: 'inherit' });
  let left;
  let timer;
  const look = setInterval(() => {
    if (!existsSync(report)) return;
    clearInterval(look);
    timer = setTimeout(() => {
      left = leftProcesses(vitest.pid);
      vitest.kill('SIGKILL');
    }, endMillis);
  }, LOOK_MILLIS);
  const [exitCode] = await once(vitest, 'exit');
  clearInterval(look);
  clearTimeout(timer);
  return { exitCode, left };
}

/**
 * Returns a list of the processes that Vitest started: those below it, and those of its group without a parent, because
 * it has ended.
 */
function leftProcesses(vitest) {
  const columns = ['-A', '-o', 'pid=,ppid=,pgid=,args='];
  const lines = execFileSync('ps', columns, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }).split('\n');
  const processes = lines.map((line) => {
    const [pid, parent, group, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), group, command: command.join(' ') };
  });
  const ownGroup = processes.find(({ pid }) => pid === vitest)?.group;
  const below = new Set([vitest]);
  // Usually a child process has a higher number than its parent. If numbers started again, some rounds find all.
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  const isLeft = ({ pid, parent, group }) => pid !== vitest && (below.has(pid) || (parent === 1 && group === ownGroup));
  return processes
    .filter(isLeft)
    .map(({ pid, command }) => `  ${pid} ${command}`)
    .join('\n');
}
