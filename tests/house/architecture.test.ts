import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles, root } from './repository.ts';

it('ARCHITECTURE.md is short enough to read', () => {
  expect(readText('ARCHITECTURE.md').length).toBeLessThan(15_000);
});

describe('the pages about the code', () => {
  const packages = readText('docs/contributing/folders.md');
  const text = readText('ARCHITECTURE.md') + packages + readText('docs/contributing/hand-written.md');

  it('name only tests and golden cases that exist', () => {
    const named = Array.from(text.matchAll(/`([\w.-]+\.(?:test\.ts|jsonl))`/g), ([, name = '']) => name);
    const existing = new Set(repositoryFiles().map((path) => basename(path)));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !existing.has(name))).toEqual([]);
  });

  const paths = ['packages', 'plugins'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );

  it.each(paths)('describe %s and each folder in its src', (path) => {
    const start = packages.indexOf(`\`${path}\``);
    expect(start, `\`${path}\``).toBeGreaterThan(0);
    const end = packages.slice(start + 1).search(/`(packages|plugins)\//);
    const section = packages.slice(start, end < 0 ? undefined : start + 1 + end);
    const folders = readdirSync(join(root, path, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(folders.filter((folder) => !section.includes(`\`${folder}\``))).toEqual([]);
  });
});
