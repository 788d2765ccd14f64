import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { boundariesHere } from '@headrace/sandbox/testing';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { enforcePolicy } from '../policy/current-policy.ts';
import { DEFAULT_POLICY, STRICT_POLICY } from '../policy/policy.ts';
import { ChildProgram } from './child-program.ts';
import { programMounts } from './module-mounts.ts';

/** Returns the numbers of the child processes of this process that have an argument, and of ended ones. */
function children(argument: string): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter(
    (row) => Number(row.trim().split(/ +/)[0]) === process.pid && new RegExp(`${argument}| Z`).test(row),
  );
}

it('gives the output, the errors and the exit code of a program, with its variables and files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'file'), 'content');
  const files = [openSync(join(folder, 'file'), 'r')];
  const program = ChildProgram.start('/bin/sh', ['-c', 'cat <&3; echo "$WORD" >&2; exit 3'], {
    env: { WORD: 'hello' },
    files,
  });
  expect(await Promise.all([text(program.stdout), text(program.stderr)])).toEqual(['content', 'hello\n']);
  expect(await program.ended).toEqual({ code: 3, signal: null });
});

// Ctrl-C and a closed terminal signal the whole group of the service. The open documents still need the program.
it.runIf(process.platform === 'linux')(
  'starts a program outside the group and the session of this process',
  async () => {
    const program = ChildProgram.start('/bin/sh', ['-c', 'cat /proc/$$/stat']);
    program.stderr.resume();
    const fields = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, , group, session] = fields(await text(program.stdout));
    const [, , ownGroup, ownSession] = fields(readFileSync('/proc/self/stat', 'utf8'));
    expect(group).not.toBe(ownGroup);
    expect(session).not.toBe(ownSession);
    expect(session).toBe(group);
  },
);

it('reads a large output whole', async () => {
  const program = ChildProgram.start('/bin/sh', ['-c', 'head -c 5000000 /dev/zero']);
  program.stderr.resume();
  expect((await buffer(program.stdout)).length).toBe(5_000_000);
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

it('kills a program whose output is not read, and waits for it', async () => {
  const program = ChildProgram.start('/bin/sh', ['-c', 'exec cat /dev/zero']);
  const [piece] = await program.stdout.take(1).toArray();
  expect(piece.length).toBeGreaterThan(0);
  expect(children('/dev/zero')).toHaveLength(1);
  program.kill();
  expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(children('/dev/zero')).toEqual([]);
});

it('rejects if there is no such program', async () => {
  const program = ChildProgram.start('/none/program', []);
  expect(await text(program.stdout)).toBe('');
  await expect(program.ended).rejects.toThrow('spawn /none/program ENOENT');
});

// Node throws some errors of the operating system, which ended the thread and the programs of other runs with it.
it.each([
  ['a path through a file', `${import.meta.filename}/program`, [], 'spawn ENOTDIR'],
  ['a name with a zero byte', 'pro\0gram', [], 'must be a string without null bytes'],
  ['a file that is closed', '/bin/sh', [9_999], 'spawn EBADF'],
])('rejects if the program has %s, and keeps the other programs', async (_, program, files, reason) => {
  const other = ChildProgram.start('/bin/sh', ['-c', 'exec cat /dev/zero']);
  const failed = ChildProgram.start(program, [], { files });
  await expect(failed.ended).rejects.toThrow(reason);
  expect(await text(failed.stdout)).toBe('');
  other.kill();
  expect(await other.ended).toEqual({ code: null, signal: 'SIGKILL' });
});

it.runIf(process.platform === 'linux')('has no more memory than the policy allows for helpers', async () => {
  enforcePolicy({ ...DEFAULT_POLICY, limits: { maxHelperMemoryMb: 100 } });
  onTestFinished(() => void enforcePolicy(undefined));
  const confined = { mounts: [], maxBytes: 2 ** 30 };
  const program = ChildProgram.start('/bin/sh', ['-c', 'ulimit -d'], { confined });
  program.stderr.resume();
  // In KiB.
  expect(await text(program.stdout)).toBe(`${100 * 1024}\n`);
});

describe.each(await boundariesHere())('a confined program of an upload, in the boundary of %s', (_, boundary) => {
  const cat = realpathSync('/usr/bin/cat');
  const MIB = 1024 * 1024;
  afterEach(() => void enforcePolicy(undefined));

  it('sees only its files, and gets its open files and variables', async () => {
    enforcePolicy({ ...STRICT_POLICY, boundary });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headrace-program-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [video, secret] = [join(folder, 'video.mp4'), join(folder, 'store.db')];
    writeFileSync(video, 'frames');
    writeFileSync(secret, 'hunter2');
    const mounts = [...programMounts(cat), { source: video, target: '/video', kind: 'file' } as const];
    const run = async (...args: string[]) => {
      const program = ChildProgram.start(cat, args, { confined: { mounts, maxBytes: 64 * MIB }, env: { LC_ALL: 'C' } });
      const [output, errors] = await Promise.all([text(program.stdout), text(program.stderr)]);
      return { output, errors, ...(await program.ended) };
    };
    expect(await run('/video')).toEqual({ output: 'frames', errors: '', code: 0, signal: null });
    for (const path of ['/etc/passwd', '/proc/self/environ', secret, video]) {
      expect(await run(path)).toMatchObject({ output: '', errors: expect.stringContaining('No such file'), code: 1 });
    }
  });

  it('is ended by the kernel when it has used its processor time', async () => {
    enforcePolicy({ ...STRICT_POLICY, boundary });
    const confined = { mounts: [], maxBytes: 1024 * MIB, maxProcessorSecs: 1 };
    const program = ChildProgram.start(process.execPath, ['-e', 'for (;;);'], { confined });
    // The tool that made the boundary reports the signal of the program as an exit code.
    const { code, signal } = await program.ended;
    expect([signal, code]).not.toEqual([null, 0]);
  });
});
