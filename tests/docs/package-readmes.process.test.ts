import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../cli/headrace.ts';
import { readPages } from './page.ts';

/** Packages whose README has an example with results: `expression; // result`. */
const PACKAGES = [
  'archives',
  'charsets',
  'java-text',
  'json-path',
  'jsonata',
  'records',
  'reindexing',
  'caches',
  'sandbox',
  'text-analysis',
  'xml',
];

/** Inside the repository, so that Node finds the packages by name. */
const folder = join(repository, 'node_modules/.cache/readmes');

const RESULT = /^(?!const |import |for |\s|\/\/)(.+); \/\/ (.+)$/;

it.each(PACKAGES)('the example in the README of %s returns the results in its comments', async (name) => {
  const [page] = readPages(join(repository, 'packages', name)).filter((page) => page.name === 'README.md');
  const blocks = page?.blocks.filter(({ language }) => language === 'js') ?? [];
  const lines = blocks.flatMap(({ text }) => text.split('\n'));
  const program = lines.map((line) =>
    line.replace(
      RESULT,
      (_, expression, result) =>
        `shown.push({ line: ${JSON.stringify(line)}, found: ${expression}, result: ${result} });`,
    ),
  );
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, `export const shown = [];\n${program.join('\n')}`);
  const { shown } = (await import(file)) as { shown: { line: string; found: unknown; result: unknown }[] };
  expect(shown.length).toBeGreaterThan(2);
  for (const { line, found, result } of shown) expect(found, line).toEqual(result);
});
