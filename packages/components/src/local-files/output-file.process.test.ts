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

describe.each([false, true])('an output file (append: %s)', (append) => {
  it('contains no gap and no partial batch after a failed write', async () => {
    const path = newPath();
    const output = await openOutputFile(path, append);
    await output.write([Buffer.from('one\n')]);
    // Writing the second chunk fails after the first one was written.
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.write([Buffer.from('two\n')]);
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.close(true);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });
});

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
