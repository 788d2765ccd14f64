import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { jsonErrorOf } from '@headrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOutputFile } from './output-file.ts';

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-output-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'out');
}

/** Returns a script that holds a file, as a run in another thread or process does, and reports when it has the lock. */
const HOLD = (path: string, ready: string) => `
  import(${JSON.stringify(new URL('./output-file.ts', import.meta.url).href)}).then(async ({ openOutputFile }) => {
    const output = await openOutputFile(${JSON.stringify(path)}, false);
    await output.write([Buffer.from('first\\n')]);
    ${ready}
    setInterval(() => output, 1000);
  })`;

const REFUSED = {
  code: 'HR_INDEXER_CONNECT',
  message: expect.stringContaining('another run is writing it'),
  hint: expect.stringContaining('overlap: queue'),
};

describe('a file that another run is writing', () => {
  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('a file is refused until the other run has closed it (append: %s, then %s)', async (first, second) => {
    const path = newPath();
    writeFileSync(path, '');
    const links = [`${path}-link`, `${path}-hard`] as const;
    symlinkSync(path, links[0]);
    linkSync(path, links[1]);
    const output = await openOutputFile(path, first);
    await output.write([Buffer.from('one\n')]);
    for (const name of [path, ...links]) await expect(openOutputFile(name, second)).rejects.toMatchObject(REFUSED);
    await output.write([Buffer.from('two\n')]);
    await output.close(false);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    await (await openOutputFile(path, second)).close(true);
  });

  it('a file becomes free when the thread that writes it is terminated', async () => {
    const path = newPath();
    const thread = new Worker(HOLD(path, "require('node:worker_threads').parentPort.postMessage('held');"), {
      eval: true,
    });
    await once(thread, 'message');
    await expect(openOutputFile(path, false)).rejects.toMatchObject(REFUSED);
    expect(readFileSync(path, 'utf8')).toBe('first\n');
    await thread.terminate();
    await (await openOutputFile(path, false)).close(true);
  });

  it.runIf(process.platform === 'linux')('a file is refused until the other process is killed', async () => {
    const path = newPath();
    const other = spawn(process.execPath, ['-e', HOLD(path, "process.stdout.write('held');")], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(other.stdout, 'data');
    await expect(openOutputFile(path, false)).rejects.toMatchObject(REFUSED);
    expect(readFileSync(path, 'utf8')).toBe('first\n');
    other.kill('SIGKILL');
    await once(other, 'close');
    await (await openOutputFile(path, false)).close(true);
  });

  it.skipIf(!existsSync('/dev/null'))('a device can have several writers', async () => {
    const outputs = [await openOutputFile('/dev/null', false), await openOutputFile('/dev/null', true)];
    for (const output of outputs) await output.write([Buffer.from('gone\n')]);
    for (const output of outputs) await output.close(false);
  });
});

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a script that writes a batch that the limit of the file's length cuts, and a short one after it. */
const WRITE_BEYOND_LIMIT = (path: string, append: boolean) => `
  import(${JSON.stringify(new URL('./output-file.ts', import.meta.url).href)}).then(async ({ openOutputFile }) => {
    const output = await openOutputFile(${JSON.stringify(path)}, ${append});
    await output.write([Buffer.from('one\\n')]);
    const message = await output.write([Buffer.alloc(3_000, 'a'), Buffer.alloc(30_000, 'b')]).catch((e) => e.message);
    await output.write([Buffer.from('two\\n')]);
    await output.close(true);
    console.log(message);
  })`;

it.each([false, true])(
  'removes the part of a batch that was written before the disk was full (append: %s)',
  (append) => {
    const path = newPath();
    const script = `ulimit -f 16; exec "$0" --conditions=@headrace/source -e "$1"`;
    const args = ['-c', script, process.execPath, WRITE_BEYOND_LIMIT(path, append)];
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Cannot write to .*EFBIG/);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  },
);

describe('rows that are added to a file', () => {
  it.each([
    ['{"a":1}\n', '{"a":1}\nnew\n'],
    ['{"a":1}', '{"a":1}\nnew\n'],
    ['{"a":1}\n{"b', '{"a":1}\nnew\n'],
    ['{"b', 'new\n'],
    ['', 'new\n'],
  ])('end the last JSON line first, or remove it if it is incomplete: %s', async (before, after) => {
    const path = newPath();
    writeFileSync(path, before);
    const warnings: string[] = [];
    const rows = { quoted: false, isComplete: (row: string) => jsonErrorOf(row) === undefined };
    const output = await openOutputFile(path, true, { rows, log: { ...log, warn: (text) => warnings.push(text) } });
    await output.write([Buffer.from('new\n')]);
    await output.close(false);
    expect(readFileSync(path, 'utf8')).toBe(after);
    expect(warnings).toEqual(
      before.endsWith('"b') ? [`${path} ended with an incomplete row. Removed its 3 bytes`] : [],
    );
  });
});
