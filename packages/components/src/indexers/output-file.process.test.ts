import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOutputFile } from './output-file.ts';

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-output-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'out');
}

describe.each([false, true])('a file for output (append: %s)', (append) => {
  it('has no gap and no half batch where a batch could not be written whole', async () => {
    const path = newPath();
    const output = await openOutputFile(path, append);
    await output.write([Buffer.from('one\n')]);
    // The second piece cannot be written when the first one has been.
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.write([Buffer.from('two\n')]);
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.close(true);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });
});

/** Holds a file as a run in another thread or process does; says so when it has it. */
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
  ])('is refused until that has closed it (append: %s, then %s)', async (first, second) => {
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

  it('is free when the thread is ended by force', async () => {
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

  it.runIf(process.platform === 'linux')('is refused in another process, and free when that is killed', async () => {
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

  it.skipIf(!existsSync('/dev/null'))('may be a device', async () => {
    const outputs = [await openOutputFile('/dev/null', false), await openOutputFile('/dev/null', true)];
    for (const output of outputs) await output.write([Buffer.from('gone\n')]);
    for (const output of outputs) await output.close(false);
  });
});
