import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../cli/headrace.ts';
import { readPages } from './page.ts';

/** Packages whose README has an example with results: `expression; // result`. */
const PACKAGES = ['formats', 'languages', 'sandbox', 'text-analysis'];

/** Inside the repository, so that Node finds the packages by name. */
const folder = join(repository, 'node_modules/.cache/readmes');

const RESULT = /^(?!const |import |for |\s|\/\/)(.+); \/\/ (.+)$/;

it.each(PACKAGES)('the examples in the README of %s return the results in their comments', async (name) => {
  const [page] = readPages(join(repository, 'packages', name)).filter((page) => page.name === 'README.md');
  // An example with imports is a program. Another one continues the program before it.
  const programs: string[] = [];
  for (const { language, text } of page?.blocks ?? []) {
    if (language !== 'js') continue;
    if (/^import /m.test(text) || programs.length === 0) programs.push(text);
    else programs.push(`${programs.pop()}\n${text}`);
  }
  mkdirSync(folder, { recursive: true });
  for (const [i, program] of programs.entries()) {
    const file = join(folder, `${name}-${i}.mjs`);
    writeFileSync(file, `export const shown = [];\n${program.split('\n').map(showing).join('\n')}`);
    const { shown } = (await import(file)) as { shown: { line: string; found: unknown; result: unknown }[] };
    expect(shown.length).toBeGreaterThan(1);
    for (const { line, found, result } of shown) expect(found, line).toEqual(result);
  }
});

/** Returns a line that collects what its expression returns, if a comment says it. */
function showing(line: string): string {
  return line.replace(
    RESULT,
    (_, expression, result) =>
      `shown.push({ line: ${JSON.stringify(line)}, found: ${expression}, result: ${result} });`,
  );
}
