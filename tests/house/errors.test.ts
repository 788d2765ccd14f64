import { ERROR_CODES } from '@headrace/engine';
import { SERVICE_ERROR_CODES } from '@headrace/service';
import { describe, expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

const sources = repositoryFiles().filter(
  (path) => /^(packages|plugins)\/[^/]+\/src\/.*\.(ts|tsx)$/.test(path) && !isForTests(path),
);
const tables = /\/(error-codes|error-advice|service-error-codes)\.ts$/;
const used = new Set(
  sources
    .filter((path) => !tables.test(path))
    .flatMap((path) => readText(path).match(/\bHR(?:_[A-Z]+)+\b(?!_)/g) ?? []),
);
const known = [...Object.keys(ERROR_CODES), ...Object.keys(SERVICE_ERROR_CODES)];

describe('error codes', () => {
  it('used in the source are listed in a table', () => {
    expect([...used].filter((code) => !known.includes(code))).toEqual([]);
  });

  it('listed in a table are used in the source', () => {
    expect(known.filter((code) => !used.has(code))).toEqual([]);
  });

  it('are listed in exactly one table', () => {
    expect(known.filter((code, i) => known.indexOf(code) !== i)).toEqual([]);
  });

  it('are all on the error page of the docs, without extra codes', () => {
    const listed = Array.from(readText('docs/errors.md').matchAll(/^\| `(HR_[A-Z_]+)` +\|/gm), ([, code]) => code);
    expect(listed.sort()).toEqual(known.toSorted());
  });
});
