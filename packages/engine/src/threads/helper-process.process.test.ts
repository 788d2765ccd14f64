import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundariesHere, lockedIn } from '@headrace/sandbox/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { enforcePolicy } from '../policy/current-policy.ts';
import { DEFAULT_POLICY, type Policy, STRICT_POLICY } from '../policy/policy.ts';
import { HelperProcess } from './helper-process.ts';

const MIB = 1024 * 1024;
const MODULE = new URL('./break-out.test.lib.ts', import.meta.url);
const boundaries = await boundariesHere();

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headrace-helper-')));
const secret = join(folder, 'store.db');
const allowed = join(folder, 'model.bin');
let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  writeFileSync(secret, 'hunter2');
  writeFileSync(allowed, 'weights');
  server = createServer((socket) => {
    connections++;
    socket.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ({ port } = server.address() as { port: number });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => void enforcePolicy(undefined));

function start(options: Partial<Parameters<typeof HelperProcess.start>[1]> = {}): HelperProcess {
  const helper = HelperProcess.start(MODULE, { maxBytes: 512 * MIB, ...options });
  onTestFinished(() => helper.close());
  return helper;
}

describe.each(boundaries)('a helper process for an upload, in the boundary of %s', (_, boundary) => {
  it('sees only the files of its module and the given ones, and has no environment, network or processes', async () => {
    enforcePolicy({ ...STRICT_POLICY, boundary });
    const helper = start({ mounts: [{ source: allowed, target: allowed, kind: 'file' }] });
    const found = await helper.call('attempts', {
      allowed: `fs.readFileSync(${JSON.stringify(allowed)})`,
      overwrite: `fs.writeFileSync(${JSON.stringify(allowed)}, '')`,
      store: `fs.readFileSync(${JSON.stringify(secret)})`,
      passwd: `fs.readFileSync('/etc/passwd')`,
      environ: `fs.readFileSync('/proc/self/environ')`,
      serviceEnviron: `fs.readFileSync('/proc/${process.pid}/environ')`,
      config: `fs.readFileSync(${JSON.stringify(join(import.meta.dirname, '../../../../compose.yaml'))})`,
      here: `fs.readdirSync('.').length`,
      write: `fs.writeFileSync('escaped', '')`,
      tmp: `fs.writeFileSync('/tmp/escaped', '')`,
      module: `fs.appendFileSync(process.argv[1], '')`,
      environment: `JSON.stringify(process.env)`,
      connect: `new Promise((done, fail) => net.connect(${port}, '127.0.0.1').on('connect', done).on('error', fail))`,
      spawn: `new Promise((done, fail) => child.spawn(process.execPath, ['--version']).on('spawn', done).on('error', fail))`,
      folder: `fs.readdirSync(${JSON.stringify(folder)})`,
      kill: `process.kill(${process.pid}, 'SIGKILL')`,
      processes: `process.pid`,
    });
    expect(found).toEqual({
      allowed: 'weights',
      overwrite: expect.stringMatching(/EROFS|EACCES/),
      store: 'ENOENT',
      passwd: 'ENOENT',
      environ: 'ENOENT',
      serviceEnviron: 'ENOENT',
      config: 'ENOENT',
      here: '0',
      write: expect.stringMatching(/EROFS|EACCES/),
      tmp: expect.stringMatching(/ENOENT|EROFS/),
      module: expect.stringMatching(/EROFS|EACCES/),
      environment: '{}',
      connect: 'EPERM',
      spawn: 'EPERM',
      folder: 'model.bin',
      kill: 'EPERM',
      processes: '1',
    });
    expect(connections).toBe(0);
    expect(readFileSync(allowed, 'utf8')).toBe('weights');
  });

  it('writes only to the directories that are given for writing', async () => {
    enforcePolicy({ ...STRICT_POLICY, boundary });
    const table = mkdtempSync(join(folder, 'table-'));
    const helper = start({
      mounts: [
        { source: '', target: '/tmp', kind: 'temporary' },
        { source: table, target: table, kind: 'directory', writable: true },
      ],
    });
    const inside = (name: string) => JSON.stringify(join(table, name));
    const found = await helper.call('attempts', {
      write: `fs.writeFileSync(${inside('a')}, 'x')`,
      rename: `fs.renameSync(${inside('a')}, ${inside('b')})`,
      link: `fs.symlinkSync('/etc/passwd', ${inside('c')})`,
      temporary: `fs.writeFileSync('/tmp/t', 'x')`,
      tooMuch: `fs.writeFileSync('/tmp/t', Buffer.alloc(${65 * MIB}))`,
    });
    expect(found).toEqual({
      write: 'undefined',
      rename: 'undefined',
      link: 'EPERM',
      temporary: 'undefined',
      tooMuch: 'ENOSPC',
    });
    expect(readFileSync(join(table, 'b'), 'utf8')).toBe('x');
    expect(existsSync('/tmp/t')).toBe(false);
  });
});

it('is refused if the policy requires a boundary that the machine does not have', () => {
  enforcePolicy({ ...STRICT_POLICY, boundary: { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' } });
  expect(() => start()).toThrow(
    expect.objectContaining({
      code: 'HR_POLICY_NO_BOUNDARY',
      message: expect.stringContaining('bubblewrap (bwrap) is not installed'),
    }),
  );
});

describe.runIf(process.platform === 'linux')('a helper process of a trusted config', () => {
  it('has no environment and starts in a directory that stays empty', async () => {
    const found = await start().call('attempts', {
      environment: `JSON.stringify(process.env)`,
      here: `fs.readdirSync('.').length`,
      write: `fs.writeFileSync('written', '')`,
    });
    expect(found).toEqual({ environment: '{}', here: '0', write: 'ENOENT' });
  });

  it('gets its input before its calls', async () => {
    expect(await start({ input: Buffer.from('weights') }).call('receivedText')).toBe('weights');
  });

  it.each([
    ['the policy', 100, 512 * MIB, 768 + 100],
    ['the library, if the policy allows more', 2048, 512 * MIB, 768 + 512],
  ])('gets the memory limit of %s', async (_, maxHelperMemoryMb, maxBytes, mib) => {
    enforcePolicy({ ...DEFAULT_POLICY, limits: { maxHelperMemoryMb } });
    const limits = `fs.readFileSync('/proc/self/limits')`;
    const found = await start({ maxBytes }).call<{ limits: string }>('attempts', { limits });
    expect(/^Max data size +(\d+)/m.exec(found.limits)?.[1]).toBe(String(mib * MIB));
  });

  it('cannot use more memory than its limit', async () => {
    const helper = start({ maxBytes: 256 * MIB });
    const bytes = `(() => { const kept = []; for (let i = 0; i < 40; i++) kept.push(Buffer.alloc(64 * ${MIB}, 1)); return kept.length })()`;
    const result = helper.call<{ bytes: string }>('attempts', { bytes });
    // V8 reports the error, or the process ends, according to who needs the memory.
    await expect(result.then(({ bytes }) => bytes)).resolves.not.toBe('40');
  });
});

describe.runIf(process.platform === 'linux')('a helper process whose service is killed', () => {
  /** Starts a service with a helper that computes without end, in a boundary or without one. */
  async function serviceWith(policy: Policy | undefined): Promise<{ service: ChildProcess; helper: number }> {
    const engine = import.meta.resolve('@headrace/engine');
    const program = `
      import { enforcePolicy, HelperProcess } from ${JSON.stringify(engine)};
      enforcePolicy(${JSON.stringify(policy)});
      const helper = HelperProcess.start(new URL(${JSON.stringify(MODULE.href)}), { maxBytes: ${512 * MIB} });
      await helper.call('pid');
      helper.call('compute');
      console.log('computes');`;
    const file = join(folder, 'service.mjs');
    writeFileSync(file, program);
    const service = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void service.kill('SIGKILL'));
    await once(service.stdout as NodeJS.ReadableStream, 'data');
    const [helper] = helpersBelow(service.pid as number);
    return { service, helper: helper as number };
  }

  it.each([
    ['without a boundary', undefined] as const,
    ...boundaries.map(
      ([name, boundary]) => [`in the boundary of ${name}`, { ...STRICT_POLICY, boundary } as Policy] as const,
    ),
  ])('ends too, %s, even if it is computing', async (_, policy) => {
    const { service, helper } = await serviceWith(policy);
    expect(existsSync(`/proc/${helper}`)).toBe(true);
    service.kill('SIGKILL');
    await expect.poll(() => existsSync(`/proc/${helper}`)).toBe(false);
  });
});

/** Returns the innermost processes below any thread of a process. */
function helpersBelow(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.map(lockedIn);
}
