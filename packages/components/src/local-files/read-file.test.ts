import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readFile, readFileSync } from './local-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-read-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('files of several pieces are read whole', async () => {
  const path = join(folder, 'terms.txt');
  const text = 'Zürich\n'.repeat(50_000);
  writeFileSync(path, text);
  expect(await readFile(path, 'utf8')).toBe(text);
  expect(await readFile(path)).toEqual(readFileSync(path));
  expect(readFileSync(path).toString()).toBe(text);
});

it('a file that is too large for memory, or has no end, is refused', async () => {
  const path = join(folder, 'large.pem');
  writeFileSync(path, '');
  truncateSync(path, 64 * 1024 * 1024 + 1);
  for (const endless of [path, '/dev/zero']) {
    await expect(readFile(endless)).rejects.toThrow(`${endless} has more than 64 MiB`);
    expect(() => readFileSync(endless)).toThrow(`${endless} has more than 64 MiB`);
  }
});
