import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

it('contains the packages of every platform, as npm ci requires (fix: node scripts/complete-lock.mjs)', () => {
  const copy = mkdtempSync(join(tmpdir(), 'headrace-lock-'));
  try {
    for (const path of ['package-lock.json', 'scripts/complete-lock.mjs', 'scripts/lib/lock-file.mjs']) {
      cpSync(join(repository, path), join(copy, path));
    }
    execFileSync(process.execPath, [join(copy, 'scripts/complete-lock.mjs')]);
    const names = (directory: string) =>
      Object.keys(JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')).packages);
    expect(names(repository)).toEqual(names(copy));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
