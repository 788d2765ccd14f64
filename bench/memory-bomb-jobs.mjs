import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Sends all bombs of tests/service/memory-bombs.ts and plugin-bombs.ts to a service with 3 GiB of memory. The test of CI
 * sends some of them, a third as large, to a service with 1 GiB. Run `npm run build` before.
 */
export async function memoryBombJobs() {
  const vitest = ['vitest', 'run', '--project', 'process', '--reporter=verbose', '--test-timeout=600000'];
  const test = spawn('npx', [...vitest, 'tests/service/memory-bombs'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HEADRACE_BOMBS: 'full' },
  });
  let output = '';
  test.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    process.stderr.write(text);
  });
  const [code] = await once(test, 'close');
  if (code !== 0) throw new Error(`the test failed: exit code ${code}`);
  const peak = Math.max(
    ...Array.from(output.matchAll(/peak: service \d+ MiB, group (\d+) MiB/g), ([, mebibytes]) => Number(mebibytes)),
  );
  const after = /After: (\d+) MiB/.exec(output)?.[1];
  return [
    { job: 'memory bombs: peak with helpers and the cache of files', value: Number(peak), unit: 'MiB' },
    { job: 'memory bombs: the service after all', value: Number(after), unit: 'MiB' },
  ];
}
