// Sends all bombs of tests/service/memory-bombs.ts to a service with 3 GiB of memory. The test of CI sends some of them,
// a third as large, to a service with 1 GiB. Run `npm run build` before.
// node bench/memory-bombs.mjs [all]: `all` sends all bombs in the size of CI.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    '--project',
    'process',
    '--reporter=verbose',
    '--test-timeout=600000',
    'tests/service/memory-bombs',
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, HEADRACE_BOMBS: process.argv[2] ?? 'full' } },
);
process.exitCode = status ?? 1;
