import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles, root } from './repository.ts';

describe('ARCHITECTURE.md', () => {
  const text = readText('ARCHITECTURE.md');
  const packages = text.slice(text.indexOf('\n## Packages\n'));

  it('names only tests and golden cases that exist', () => {
    const named = Array.from(text.matchAll(/`([\w.-]+\.(?:test\.ts|jsonl))`/g), ([, name = '']) => name);
    const existing = new Set(repositoryFiles().map((path) => basename(path)));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !existing.has(name))).toEqual([]);
  });

  it.each(readdirSync(join(root, 'packages')))('describes the package %s and each folder in its src', (name) => {
    const start = packages.indexOf(`\`packages/${name}\``);
    expect(start, `\`packages/${name}\``).toBeGreaterThan(0);
    const end = packages.indexOf('`packages/', start + 1);
    const section = packages.slice(start, end < 0 ? undefined : end);
    const folders = readdirSync(join(root, 'packages', name, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(folders.filter((folder) => !section.includes(`\`${folder}\``))).toEqual([]);
  });
});
