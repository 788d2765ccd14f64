import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { directImports } from './tests/setup/direct-imports.ts';
import { MixedSequencer } from './tests/setup/mixed-sequencer.ts';

/** Resolves imports between packages to the sources, so that no build is needed. */
const SOURCE = '@headrace/source';
/** Uses the conditions of Node. Vite also has the condition `module`, which is for bundlers. */
const conditions = [SOURCE, ...defaultServerConditions.filter((name) => name !== 'module')];

/** The time limit of `expect.poll`, in milliseconds. On a busy machine, tests wait long for their processes and servers. */
const POLL_TIMEOUT = 90_000;

/** Makes tests fail that start a process. */
const NO_PROCESSES = new URL('tests/setup/no-processes.ts', import.meta.url).href;

const ALL = ['{packages,plugins}/*/src/**/*.test.ts', 'tests/**/*.test.ts'];
const NOT_UNIT = ['**/*.{process,server,package,browser}.test.ts'];

// The processes and threads that tests start load the same modules again and again. The cache saves most of the
// compiling. The command line uses the same folder.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/**
 * Returns a folder for the temporary files of unit tests. A folder in memory saves their waits for the disk, because
 * stores wait for it at each commit.
 */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 1024 ** 3 ? memory : tmpdir();
}

/** Returns the project for the tests `*.KIND.test.ts`. They test the build, so run `npm run build` first. */
function built(kind: string) {
  const include = [`{packages,plugins,tests}/**/*.${kind}.test.ts`];
  // These tests ask other processes and pages, which takes processor time from what they wait for.
  return {
    extends: true as const,
    test: { name: kind, include, expect: { poll: { timeout: POLL_TIMEOUT, interval: 50 } } },
  };
}

export default defineConfig({
  test: {
    exclude: ['**/{node_modules,dist,bundle}/**'],
    pool: 'forks',
    // Most of these tests wait for processes and servers. With three files at a time, two cores are idle for half of the
    // time.
    maxWorkers: 5,
    sequence: { sequencer: MixedSequencer },
    setupFiles: ['tests/setup/fast-check-seed.ts'],
    // The limits are for tests that hang. On a busy machine, tests wait long for their processes and servers.
    testTimeout: 240_000,
    expect: { poll: { timeout: POLL_TIMEOUT, interval: 10 } },
    hookTimeout: 240_000,
    env: { TZ: 'UTC', NO_COLOR: '1' },
    projects: [
      {
        extends: true,
        plugins: [directImports()],
        resolve: { conditions },
        ssr: { resolve: { conditions, externalConditions: conditions } },
        test: {
          name: 'unit',
          env: { TMPDIR: temporaryFolder() },
          include: ALL,
          exclude: [...NOT_UNIT, '**/{node_modules,dist,bundle}/**'],
          // Loading the same modules for each file took half of the time. Unit tests must clean up after themselves.
          isolate: false,
          // The threads that tests start also run the sources, and cannot start processes.
          execArgv: [`--conditions=${SOURCE}`, `--import=${NO_PROCESSES}`],
          globalSetup: ['tests/setup/source-catalog.ts'],
        },
      },
      built('process'),
      { ...built('server'), test: { ...built('server').test, globalSetup: ['tests/setup/shared-servers.ts'] } },
      built('package'),
      { ...built('browser'), test: { ...built('browser').test, globalSetup: ['tests/setup/unpack-chromium.ts'] } },
    ],
  },
});
