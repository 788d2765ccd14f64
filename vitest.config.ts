import { defineConfig } from 'vitest/config';

// Tests stand beside the code (packages/*/src) and, where they cross rooms, under tests/.
// Imports between packages go to dist: `npm run build` comes first, `npm test` sees to it.
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    pool: 'forks',
    // Most tests wait for processes and servers that they have started: one more file at a time pays, even on two cores.
    maxWorkers: 2,
    setupFiles: ['tests/fast-check-seed.ts'],
    testTimeout: 60_000,
    // What is polled for comes in its own time on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    env: { TZ: 'UTC', NO_COLOR: '1' },
  },
});
