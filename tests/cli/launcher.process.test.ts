import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { configFiles } from './fixtures.ts';
import { directoryWith, headrace, installHeadrace, start } from './headrace.ts';

/** Makes the launcher believe that it runs on an old Node: it hands over to the one that the package `node` brings. */
const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})',
];

function prepare(connector: string): string {
  const cwd = directoryWith(configFiles(connector));
  installHeadrace(cwd);
  return cwd;
}

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    return parent === pid && child !== undefined ? [child] : [];
  });
}

/** A zombie is dead: whether anybody reaps it is the machine's business. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z]/.test(stdout.trim());
}

describe('on an old Node', () => {
  it('the same command line runs on the Node that the package brings', async () => {
    const nodeOptions = OLD_NODE;
    expect(await headrace(['--help'], { nodeOptions })).toEqual(await headrace(['--help']));
    expect(await headrace(['nonsense'], { nodeOptions })).toEqual(await headrace(['nonsense']));
  });

  it('a Node that the package brings and that is too old itself is no reason to hand over again', async () => {
    const { code, stderr } = await headrace(['--help'], { nodeOptions: OLD_NODE, env: { HEADRACE_LAUNCHED: '1' } });
    expect(stderr).toContain('headrace needs Node.js 26 or newer, and this is 20.0.0');
    expect(code).toBe(1);
  });

  it('signals and the exit code pass through', async () => {
    const cwd = prepare('class: "./misbehaving.js#Endless"');
    const { child, said, ended } = start(['run', 'a.conf'], { cwd, nodeOptions: OLD_NODE });
    await said('stderr', 'The source is open');
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(stdout).toContain('source: stopped.');
    expect(code).toBe(143);
  });

  it('nothing is left of a launcher that was killed', async () => {
    const cwd = prepare('class: "./misbehaving.js#Deaf"');
    const { child, said, ended } = start(['run', 'a.conf'], { cwd, nodeOptions: OLD_NODE });
    await said('stderr', 'The source is open');
    const [worker] = childrenOf(child.pid as number);
    expect(isAlive(worker as number)).toBe(true);
    child.kill('SIGKILL');
    // Its output ends when the last process that holds it has ended.
    await ended;
    await expect.poll(() => isAlive(worker as number)).toBe(false);
  });
});
