import { NOTICES } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

const sources = repositoryFiles().filter(
  (path) =>
    /^(packages|plugins)\/[^/]+\/src\/.*\.ts$/.test(path) && !isForTests(path) && !path.endsWith('/notice-table.ts'),
);
const texts = sources.map(readText);

describe('notices', () => {
  it('of the table are reported by a component', () => {
    const unused = Object.keys(NOTICES).filter((code) => !texts.some((text) => text.includes(`'${code}'`)));
    expect(unused).toEqual([]);
  });

  it('of the table are all on the page of the docs, without extra codes', () => {
    const listed = Array.from(readText('docs/notices.md').matchAll(/^\| `([a-z]+\.\w+)` +\|/gm), ([, code]) => code);
    expect(listed.sort()).toEqual(Object.keys(NOTICES).sort());
  });

  it('have a code in two parts and a meaning in sentences', () => {
    for (const [code, { meaning }] of Object.entries(NOTICES)) {
      expect(code).toMatch(/^[a-z]+\.[a-z]+([A-Z][a-z0-9]*)*$/);
      expect(meaning, code).toMatch(/^[A-Z].*\.$/);
    }
  });
});
