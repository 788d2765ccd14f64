import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { root } from './repository.ts';

it('the generated pages of the docs are as npm run docs would write them', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-docs.mjs', '--check'], { cwd: root });
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
});
