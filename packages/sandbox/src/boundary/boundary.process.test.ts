import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { boundariesHere, lockedIn, pathWith, statusOf } from '../testing/boundaries.ts';
import { boundaryCommand, NODE_INSIDE } from './boundary-command.ts';
import { findBoundary } from './find-boundary.ts';

const MIB = 1024 * 1024;
/** The memory limit. V8 reserves half of it for code, without using all of that. */
const MAX_BYTES = 1024 * MIB;
const MILLIS = 120_000;

const boundaries = await boundariesHere();

it.runIf(process.platform === 'linux' && process.env.CI === 'true')('this machine has a boundary', () => {
  expect(boundaries).not.toEqual([]);
});

describe.each(boundaries)('JavaScript with access to process, in the boundary of %s', (_, boundary) => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-boundary-'));
  const store = join(folder, 'store.db');
  let listener: Server;
  let port: number;
  let connections = 0;

  beforeAll(async () => {
    const database = new DatabaseSync(store);
    database.exec("CREATE TABLE secrets AS SELECT 'hunter2' AS password");
    database.close();
    listener = createServer((socket) => {
      connections++;
      socket.end();
    });
    await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
    ({ port } = listener.address() as { port: number });
  });
  afterAll(() => void listener.close());

  const commandOf = (program: string, flags: readonly string[] = []) =>
    boundaryCommand(boundary, {
      mounts: [],
      maxBytes: MAX_BYTES,
      command: NODE_INSIDE,
      args: [...flags, '--no-warnings', '-e', program],
    });

  /**
   * Runs a program in the boundary and returns its last output line as JSON. It may use everything that Node offers.
   */
  function inside(program: string, flags?: readonly string[]): unknown {
    const { command, args } = commandOf(program, flags);
    const { stdout, stderr } = spawnSync(command, args, { env: { SECRET: 'x' }, encoding: 'utf8', timeout: MILLIS });
    const line = stdout.trimEnd().split('\n').at(-1);
    if (line === undefined || line === '') throw new Error(`The program printed nothing: ${stderr}`);
    return JSON.parse(line);
  }

  /** Returns a program that evaluates expressions and prints for each the error code or name, or `done`. */
  const attempts = (expressions: Readonly<Record<string, string>>) => `(async () => {
    const found = {};
    for (const [name, text] of Object.entries(${JSON.stringify(expressions)})) {
      try { await (0, eval)('(async () => {' + text + '})()'); found[name] = 'done'; }
      catch (error) { found[name] = error.code === 'ERR_SQLITE_ERROR' ? error.errstr : error.code ?? error.name; }
    }
    console.log(JSON.stringify(found));
    process.exit();
  })()`;

  /** Starts a program that prints a line and then waits for the end of its standard input. */
  async function waiting(program: string): Promise<{ child: ChildProcess; pid: number; line: string }> {
    const { command, args } = commandOf(`${program}; process.stdin.resume().on('end', () => process.exit())`);
    const child = spawn(command, args, { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const line = await new Promise<string>((done, fail) => {
      lines.once('line', done);
      child.once('close', (...how) => fail(new Error(`The program ended: ${how}`)));
    });
    return { child, pid: lockedIn(child.pid as number), line };
  }

  it('reads and writes no file of the machine', () => {
    expect(
      inside(
        attempts({
          passwd: `require('fs').readFileSync('/etc/passwd')`,
          environ: `require('fs').readFileSync('/proc/${process.pid}/environ')`,
          self: `require('fs').readFileSync('/proc/self/environ')`,
          store: `require('fs').readFileSync(${JSON.stringify(store)})`,
          up: `require('fs').readFileSync('/../../../..' + ${JSON.stringify(store)})`,
          home: `require('fs').readdirSync('/root')`,
          write: `require('fs').writeFileSync(${JSON.stringify(join(folder, 'escaped'))}, '')`,
          root: `require('fs').writeFileSync('/escaped', '')`,
          tmp: `require('fs').writeFileSync('/tmp/escaped', '')`,
          node: `require('fs').writeFileSync('/node', '')`,
          device: `require('fs').writeFileSync('/dev/escaped', '')`,
          link: `require('fs').symlinkSync('/etc', '/escaped')`,
        }),
      ),
    ).toEqual({
      ...Object.fromEntries(
        ['passwd', 'environ', 'self', 'store', 'up', 'home', 'write', 'tmp'].map((name) => [name, 'ENOENT']),
      ),
      ...{ root: 'EROFS', node: expect.stringMatching(/EROFS|ETXTBSY|EACCES/), device: 'EROFS', link: 'EPERM' },
    });
  });

  it('cannot read the store through node:sqlite, or write a file with it', () => {
    const target = join(folder, 'vacuumed.db');
    const memory = `const { DatabaseSync } = process.getBuiltinModule('node:sqlite'); const db = new DatabaseSync(':memory:');`;
    const found = inside(
      attempts({
        memory,
        open: `${memory} new DatabaseSync(${JSON.stringify(store)})`,
        attach: `${memory} db.exec("ATTACH '${store}' AS s")`,
        vacuum: `${memory} db.exec("CREATE TABLE t(a); VACUUM INTO '${target}'")`,
        here: `${memory} db.exec("CREATE TABLE t(a); VACUUM INTO '/escaped.db'")`,
      }),
    );
    const refused = expect.stringMatching(/unable to open database file|readonly|ERR_SQLITE/);
    expect(found).toEqual({ memory: 'done', open: refused, attach: refused, vacuum: refused, here: refused });
    expect(existsSync(target)).toBe(false);
  });

  it('cannot reach a server, even on this machine', () => {
    const connect = (target: string) =>
      `await new Promise((done, fail) => require('net').connect(${target}).on('connect', done).on('error', fail))`;
    expect(
      inside(
        attempts({
          tcp: connect(`${port}, '127.0.0.1'`),
          unix: connect(`'/run/docker.sock'`),
          udp: `await new Promise((done, fail) => require('dgram').createSocket('udp4').on('error', fail).send('x', ${port}, '127.0.0.1', done))`,
          listen: `await new Promise((done, fail) => require('net').createServer().on('error', fail).listen(0, done))`,
          fetch: `await fetch('http://127.0.0.1:${port}/').catch((error) => { throw error.cause })`,
        }),
      ),
    ).toEqual({ tcp: 'EPERM', unix: 'EPERM', udp: 'EPERM', listen: 'EPERM', fetch: 'EPERM' });
    expect(connections).toBe(0);
  });

  it('cannot see, signal or start processes', () => {
    expect(
      inside(
        attempts({
          service: `process.kill(${process.pid}, 'SIGKILL')`,
          parent: `if (process.ppid !== 0) throw new Error('sees its parent'); process.kill(${process.ppid}, 0)`,
          debug: `process._debugProcess(${process.pid})`,
          group: `process.kill(-1, 'SIGKILL')`,
          spawn: `const { error } = require('child_process').spawnSync('/node', ['--version']); throw error`,
          fork: `await new Promise((done, fail) => require('child_process').fork('/node').on('error', fail).on('exit', done))`,
          pid: `if (process.pid !== 1) throw new Error('is one of many')`,
          environment: `if (Object.keys(process.env).length > 0) throw new Error('sees the environment')`,
        }),
      ),
    ).toEqual({
      service: 'EPERM',
      parent: 'EPERM',
      debug: 'EPERM',
      group: 'EPERM',
      spawn: 'EPERM',
      fork: 'EPERM',
      pid: 'done',
      environment: 'done',
    });
  });

  it('cannot use forbidden system calls directly', () => {
    const numbers: Record<string, readonly [x64: number, arm64: number, ...args: number[]]> = {
      socket: [41, 198, 2, 1],
      socketpair: [53, 199, 1, 1],
      fork: [57, 220],
      vfork: [58, 220],
      clone: [56, 220, 0x11],
      cloneIntoNamespaces: [56, 220, 0x10000011],
      clone3: [435, 435],
      unshare: [272, 97, 0x10000000],
      setns: [308, 268, 0],
      mount: [165, 40],
      umount: [166, 39],
      pivotRoot: [155, 41],
      chroot: [161, 51],
      ptrace: [101, 117],
      readOtherMemory: [310, 270, 1],
      kill: [62, 129, 1, 9],
      keys: [250, 219],
      bpf: [321, 280],
      ioUring: [425, 425, 8],
      userfaultfd: [323, 282],
      perf: [298, 241],
      memoryFile: [319, 279],
      sharedMemory: [29, 194, 0, 4096],
      sharedMapping: [9, 222, 0, 4096, 3, 0x21, -1],
      growingMapping: [9, 222, 0, 4096, 3, 0x122, -1],
      openByHandle: [304, 265],
      setuid: [105, 146, 0],
      raiseLimits: [160, 164],
      terminal: [16, 29, 0, 0x5412],
      modules: [175, 105],
      outliveTheService: [157, 167, 1, 0],
      personality: [135, 92, 0x40000],
    };
    const program = `
      const long = 'int64';
      const syscall = new (require('node:ffi').DynamicLibrary)(null)
        .getFunction('syscall', { arguments: Array(7).fill(long), return: long });
      const found = {};
      for (const [name, [x64, arm64, ...args]] of Object.entries(${JSON.stringify(numbers)})) {
        const number = process.arch === 'x64' ? x64 : arm64;
        found[name] = Number(syscall(...[number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(BigInt)));
      }
      console.log(JSON.stringify(found));`;
    expect(inside(program, ['--experimental-ffi'])).toEqual(
      Object.fromEntries(Object.keys(numbers).map((name) => [name, -1])),
    );
  });

  it('has separate namespaces, no capabilities, no new privileges and a system call filter', async () => {
    const { pid } = await waiting(`console.log('hello')`);
    for (const space of ['user', 'mnt', 'pid', 'net', 'ipc', 'uts']) {
      expect(readlinkSync(`/proc/${pid}/ns/${space}`), space).not.toBe(readlinkSync(`/proc/self/ns/${space}`));
    }
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
      expect(statusOf(pid, set), set).toBe('0000000000000000');
    }
    expect([statusOf(pid, 'NoNewPrivs'), statusOf(pid, 'Seccomp')]).toEqual(['1', '2']);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    const writable = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .trim()
      .split('\n')
      .filter((mount) => !/^\S+ \S+ \S+ \S+ \S+ ro\b/.test(mount) && !mount.includes(' /dev/null '));
    expect(writable).toEqual([]);
  });

  it('does not inherit open files', () => {
    const { command, args } = commandOf(
      `const fs = require('fs');
      const found = [];
      for (let fd = 3; fd < 64; fd++) try { if (fs.fstatSync(fd).isFile()) found.push(fd) } catch {}
      console.log(JSON.stringify(found))`,
    );
    const secret = openSync(store, 'r');
    const { stdout } = spawnSync(command, args, {
      stdio: ['ignore', 'pipe', 'inherit', secret, secret],
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('limits the memory of the whole process, including its buffers', async () => {
    const { pid, line } = await waiting(`
      let kept = [];
      let bytes = 0;
      const fill = (make) => { try { for (;;) bytes += kept[kept.push(make().fill(1)) - 1].length } catch {} };
      fill(() => new Uint8Array(16 * ${MIB}));
      fill(() => new Uint8Array(new SharedArrayBuffer(16 * ${MIB})));
      kept = undefined;
      console.log(bytes)`);
    expect(Number(line)).toBeGreaterThan(100 * MIB);
    expect(Number(statusOf(pid, 'VmHWM')) / 1024).toBeLessThan(MAX_BYTES / MIB - 400);
  });

  it('limits the number of threads', () => {
    const { command, args } = commandOf(`
      const { Worker } = require('worker_threads');
      const bomb = () => new Worker('setInterval(() => {}, 1000)', { eval: true }).on('error', () => {}).on('online', bomb);
      for (let i = 0; i < 8; i++) bomb()`);
    const { status, signal } = spawnSync(command, args, { timeout: MILLIS, stdio: 'ignore' });
    expect(signal ?? status).not.toBe('SIGTERM');
    expect(signal ?? status).not.toBe(0);
  });

  it('ends when the service is killed, even if the program ignores the end of its input', async () => {
    const { command, args } = commandOf(`console.log('hello'); setInterval(() => {}, 1000)`);
    const service = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('child_process').spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { env: {} });
        child.stdout.once('data', () => console.log(child.pid))`,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const tool = Number(await new Promise((done) => service.stdout.once('data', done)));
    const pid = lockedIn(tool);
    expect(pid).not.toBe(tool);
    service.kill('SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe('findBoundary', () => {
  it('reports missing tools', async () => {
    expect(await findBoundary([], '')).toEqual({
      kind: 'none',
      reason: 'bubblewrap (bwrap) is not installed; unshare and setpriv of util-linux are not installed',
    });
  });

  it.each([
    [
      'returns the error of a tool that does not work',
      'echo "bwrap: No permissions" >&2; exit 1',
      'bwrap: No permissions',
    ],
    ['rejects a tool that only exits with 0', 'exit 0', 'it did not run the program'],
    [
      'reports the actions that a program inside could do',
      `echo '["opens sockets"]'`,
      'a program inside opens sockets',
    ],
  ])('%s', async (_, script, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-path-'));
    const tool = join(folder, 'bwrap');
    writeFileSync(tool, `#!/bin/sh\n${script}\n`);
    chmodSync(tool, 0o755);
    const found = await findBoundary([], folder);
    expect(found).toMatchObject({ kind: 'none', reason: expect.stringContaining(`${tool} failed: `) });
    expect(found).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it.runIf(boundaries.length > 0)('rejects a boundary that hides too little', async () => {
    const library = readdirSync('/').includes('lib64') ? '/lib64' : '/lib';
    const found = await findBoundary([library]);
    expect(found).toMatchObject({ kind: 'none', reason: expect.stringContaining(`a program inside sees ${library}`) });
  });

  const finder = fileURLToPath(import.meta.resolve('./find-boundary.ts'));
  const UNPRIVILEGED = { uid: 65534, gid: 65534 };
  const asNobody = (program: string) =>
    spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      ...(process.getuid?.() === 0 ? UNPRIVILEGED : {}),
      cwd: '/',
      encoding: 'utf8',
      timeout: MILLIS,
    });
  const readable = asNobody(`import ${JSON.stringify(finder)}`).status === 0;

  it.runIf(boundaries.length > 0 && readable)('finds a boundary for a user without privileges', async () => {
    for (const [kind, path] of [
      ['bubblewrap', pathWith('bwrap')],
      ['unshare', pathWith('unshare', 'setpriv')],
    ] as const) {
      if (!boundaries.some(([name]) => name === kind)) continue;
      chmodSync(path, 0o755);
      const program = `import { findBoundary } from ${JSON.stringify(finder)};
        console.log(JSON.stringify([process.getuid(), await findBoundary([], ${JSON.stringify(path)})]))`;
      const { stdout, stderr } = asNobody(program);
      expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual([
        expect.any(Number),
        expect.objectContaining({ kind }),
      ]);
      expect(JSON.parse(stdout)[0]).not.toBe(0);
    }
  });
});
