import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { HelperMemory } from './helper-memory.ts';

const MIB = 2 ** 20;
const children: ChildProcess[] = [];

afterEach(() => {
  // With its child process, which would keep the output of the tests open.
  for (const { pid } of children.splice(0)) process.kill(-(pid as number), 'SIGKILL');
});

/** Starts a process that uses this many MiB, as the child of a process if it is in a boundary. */
async function helper(megabytes: number, isInside = false): Promise<ChildProcess> {
  const program = `const bytes = Buffer.alloc(${megabytes} * ${MIB}, 1); console.log(bytes.length); setInterval(() => bytes, 1e6)`;
  const inside = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(program)}], { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', isInside ? inside : program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

it.runIf(process.platform === 'linux')(
  'ends the largest helper if all of them use too much together, and lets the kernel end helpers first',
  async () => {
    const memory = new HelperMemory(process.memoryUsage.rss() + 700 * MIB);
    const ended: string[] = [];
    const watch = ({ pid }: ChildProcess, name: string) => memory.watch(pid, () => ended.push(name));
    const [small, large] = await Promise.all([helper(100), helper(400, true)]);
    const unwatch = [watch(small, 'small'), watch(large, 'large')];
    await expect.poll(() => readFileSync(`/proc/${large.pid}/oom_score_adj`, 'utf8').trim()).toBe('1000');
    expect(ended).toEqual([]);
    const other = await helper(300);
    unwatch.push(watch(other, 'other'));
    await expect.poll(() => ended).toEqual(['large']);
    for (const each of unwatch) each();
  },
);
