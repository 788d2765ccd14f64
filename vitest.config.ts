import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { directImports } from './tests/setup/direct-imports.ts';
import { MixedSequencer } from './tests/setup/mixed-sequencer.ts';

/** Imports between packages go to the sources: no build is needed. */
const SOURCE = '@headrace/source';
/** As Node resolves: the condition `module` is for bundlers. */
const conditions = [SOURCE, ...defaultServerConditions.filter((name) => name !== 'module')];

const ALL = ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'];
const NOT_UNIT = ['**/*.{process,server,package}.test.ts'];

// The processes and threads that tests start load the same modules again and again. The cache saves most of the
// compiling. The command line uses the same folder.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** Tests of the name `*.KIND.test.ts`. They run what users run: `npm run build` comes first. */
function built(kind: string) {
  return { extends: true as const, test: { name: kind, include: [`{packages,tests}/**/*.${kind}.test.ts`] } };
}

export default defineConfig({
  test: {
    exclude: ['**/{node_modules,dist,bundle}/**'],
    pool: 'forks',
    // Most tests wait for processes and servers that they have started: one more file at a time pays, even on two cores.
    maxWorkers: 2,
    sequence: { sequencer: MixedSequencer },
    setupFiles: ['tests/setup/fast-check-seed.ts'],
    testTimeout: 60_000,
    // A busy machine is slow.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    env: { TZ: 'UTC', NO_COLOR: '1' },
    projects: [
      {
        extends: true,
        plugins: [directImports()],
        resolve: { conditions },
        ssr: { resolve: { conditions, externalConditions: conditions } },
        test: {
          name: 'unit',
          include: ALL,
          exclude: [...NOT_UNIT, '**/{node_modules,dist,bundle}/**'],
          // Half of the time went into loading the same modules for each file. Unit tests clean up after themselves.
          isolate: false,
          // Threads that a test starts run the sources too.
          execArgv: [`--conditions=${SOURCE}`],
          globalSetup: ['tests/setup/source-catalog.ts'],
          setupFiles: ['tests/setup/fast-check-seed.ts', 'tests/setup/no-processes.ts'],
        },
      },
      built('process'),
      built('server'),
      built('package'),
    ],
  },
});
