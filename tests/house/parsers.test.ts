import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

it('the tests and golden cases that ARCHITECTURE.md names exist', () => {
  const text = readText('ARCHITECTURE.md');
  const named = Array.from(text.matchAll(/`([\w.-]+\.(?:test\.ts|jsonl))`/g), ([, name = '']) => name);
  const existing = new Set(repositoryFiles().map((path) => basename(path)));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !existing.has(name))).toEqual([]);
});
