import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { root } from './repository.ts';

/** Leaves a process that holds the output of the test, for which Vitest waits. */
const LEAVING = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'vitest';

it('leaves a process', () => once(spawn('sleep', ['86399'], { stdio: 'inherit' }), 'spawn'));
`;

it('npm test ends and names the processes that a test left, for which Vitest would wait', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-left-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'leaving.test.ts'), LEAVING);
  const report = join(directory, 'report.json');
  const args = ['run', '--reporter=json', `--outputFile.json=${report}`];
  const program = `
    import { runVitest } from ${JSON.stringify(join(root, 'scripts/lib/run-vitest.mjs'))};
    const ended = await runVitest(${JSON.stringify(args)}, ${JSON.stringify(report)}, 0, ${JSON.stringify(directory)});
    console.log('\\n' + JSON.stringify(ended));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const { left } = JSON.parse(stdout.trim().split('\n').at(-1) as string) as { left: string };
  const [, pid] = /^ {2}(\d+) sleep 86399$/m.exec(left) ?? [];
  expect(pid, left).toBeDefined();
  process.kill(Number(pid));
});
