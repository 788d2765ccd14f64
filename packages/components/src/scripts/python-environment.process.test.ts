import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';

/** Instead of pip: reads the requirements file until it ends. */
const READ_REQUIREMENTS = '#!/bin/sh\nfor last; do :; done\nexec cat "$last" >/dev/null\n';
const hasPython = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!hasPython)('leaves no program running if the thread that installs requirements is terminated', async () => {
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
  const thread = new Worker(script, { eval: true, execArgv: ['--conditions=@headrace/source'] });
  // The pipe opens when the program reads it.
  const requirements = await open(pipe, 'w');
  onTestFinished(() => requirements.close());
  await thread.terminate();
  const write = async () => {
    for (;;) await requirements.write('# a comment\n');
  };
  await expect(write()).rejects.toThrow('EPIPE');
});
