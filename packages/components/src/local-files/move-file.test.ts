import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { moveFile } from './move-file.ts';

/** The error codes that the mocked system returns for links and renames; undefined: the calls succeed. */
let refusal: { links?: string; across?: string } = {};

// The tests have no disk without links and no second disk, so both are mocked.
vi.mock('./local-files.ts', async (original) => {
  const files = await original<typeof import('./local-files.ts')>();
  const refused = (from: string, code: string | undefined) => {
    const isAcross = refusal.across !== undefined && from.startsWith(refusal.across);
    if (isAcross || code !== undefined) throw Object.assign(new Error('no'), { code: isAcross ? 'EXDEV' : code });
  };
  return {
    ...files,
    link: async (from: string, to: string) => {
      refused(from, existsSync(to) ? undefined : refusal.links);
      await files.link(from, to);
    },
    rename: async (from: string, to: string) => {
      refused(from, undefined);
      await files.rename(from, to);
    },
  };
});

const root = mkdtempSync(join(tmpdir(), 'headrace-moves-'));
afterAll(() => rmSync(root, { recursive: true }));

it.each<[string, { across?: true; links?: string }]>([
  ['links', {}],
  ['a rename on a disk without links', { links: 'EPERM' }],
  ['a copy to another disk', { across: true }],
  ['a copy to another disk without links', { across: true, links: 'ENOTSUP' }],
])('moves a file by %s, and overwrites none', async (what, { across, ...rest }) => {
  const folder = join(root, what);
  mkdirSync(join(folder, 'in'), { recursive: true });
  refusal = { ...rest, ...(across ? { across: join(folder, 'in') } : {}) };
  for (const text of ['1', '2', '3']) {
    writeFileSync(join(folder, 'in/a.tar.gz'), text);
    await moveFile(join(folder, 'in/a.tar.gz'), join(folder, 'to/done'), 'rename');
  }
  const moved = readdirSync(join(folder, 'to/done'));
  expect(moved.map((name) => readFileSync(join(folder, 'to/done', name), 'utf8')).sort()).toEqual(['1', '2', '3']);
  expect(readFileSync(join(folder, 'to/done/a.tar.gz'), 'utf8')).toBe('1');
  for (const name of moved) expect(name).toMatch(/^a\.tar(\.[0-9a-f]{8})?\.gz$/);
  expect(readdirSync(join(folder, 'in'))).toEqual([]);

  writeFileSync(join(folder, 'in/a.tar.gz'), '4');
  await expect(moveFile(join(folder, 'in/a.tar.gz'), join(folder, 'to/done'), 'leave')).rejects.toThrow('EEXIST');
  expect(readdirSync(join(folder, 'in'))).toEqual(['a.tar.gz']);
  expect(readdirSync(join(folder, 'to/done'))).toHaveLength(3);
});

it('a file that a killed process left in both places is moved once', async () => {
  const folder = join(root, 'killed');
  refusal = {};
  for (const name of ['in', 'done']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'in/a.csv'), '1');
  linkSync(join(folder, 'in/a.csv'), join(folder, 'done/a.csv'));
  await moveFile(join(folder, 'in/a.csv'), join(folder, 'done'), 'rename');
  expect([readdirSync(join(folder, 'in')), readdirSync(join(folder, 'done'))]).toEqual([[], ['a.csv']]);
});

it('moveFile leaves a file in place if it is already in the target folder, even through a symbolic link', async () => {
  const folder = join(root, 'linked');
  mkdirSync(join(folder, 'in'), { recursive: true });
  writeFileSync(join(folder, 'in/a.csv'), '1');
  linkSync(join(folder, 'in/a.csv'), join(folder, 'other'));
  symlinkSync(join(folder, 'in'), join(folder, 'done'));
  await moveFile(join(folder, 'in/a.csv'), join(folder, 'done'), 'rename');
  expect(readdirSync(join(folder, 'in'))).toEqual(['a.csv']);
});
