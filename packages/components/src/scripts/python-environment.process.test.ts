import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Instead of pip: reads the requirements file until it ends. */
const READ_REQUIREMENTS = '#!/bin/sh\nfor last; do :; done\nexec cat "$last" >/dev/null\n';
const hasPython = spawnSync('python3', ['--version']).status === 0;

/**
 * Returns a script that installs requirements in a new working directory, and a function that resolves when the program
 * that reads the requirements has ended.
 */
function installation() {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-pip-'));
  const home = process.cwd();
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });
  mkdirSync('python/venv/bin', { recursive: true });
  writeFileSync('python/venv/bin/python', READ_REQUIREMENTS, { mode: 0o755 });
  const pipe = join(folder, 'requirements.txt');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const module = new URL('./python-environment.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then((m) => m.pythonCommand('python3', ${JSON.stringify(pipe)}))`;
  // The pipe opens when the program reads it.
  const opened = async () => {
    const requirements = await open(pipe, 'w');
    onTestFinished(() => requirements.close());
    return requirements;
  };
  return { script, opened };
}

const SOURCES = '--conditions=@headrace/source';

/** Writes requirements until nothing reads them. */
async function write(requirements: FileHandle): Promise<void> {
  for (;;) await requirements.write('# a comment\n');
}

describe.skipIf(!hasPython)('the installation of requirements leaves no program running', () => {
  it('if the thread that installs is terminated', async () => {
    const { script, opened } = installation();
    const thread = new Worker(script, { eval: true, execArgv: [SOURCES] });
    const requirements = await opened();
    await thread.terminate();
    await expect(write(requirements)).rejects.toThrow('EPIPE');
  });

  it('if the process is killed', async () => {
    const { script, opened } = installation();
    writeFileSync('install.mjs', script);
    const process = spawn(execPath, [SOURCES, 'install.mjs'], { stdio: 'ignore' });
    const requirements = await opened();
    process.kill('SIGKILL');
    await expect(write(requirements)).rejects.toThrow('EPIPE');
  });
});
