// Compiles the plugins, and writes the catalog of each, which describes its components.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';
import { readDocComments } from './lib/doc-comments.ts';
import { mustRun } from './lib/root.mjs';
import { withRunnableExample } from './lib/runnable-example.mjs';

const plugins = new URL('../plugins/', import.meta.url);
const names = readdirSync(plugins).filter((name) => existsSync(new URL(`${name}/tsconfig.json`, plugins)));
await mustRun('tsc', ['-b', ...names.map((name) => `plugins/${name}`)]);
for (const name of names) {
  const folder = new URL(`${name}/`, plugins);
  const sources = readdirSync(new URL('src/', folder));
  const entries = [];
  const exports = await import(new URL('dist/index.js', folder).href);
  for (const [component, exported] of Object.entries(exports)) {
    // The comments of a component are in the file that has its name.
    const file = sources.find((source) => source.replaceAll('-', '') === `${component.toLowerCase()}.ts`);
    if (file === undefined) throw new Error(`No file in plugins/${name}/src has the name of ${component}.`);
    const comments = readDocComments(new URL(`src/${file}`, folder).href);
    entries.push(
      ...describeModule({ [component]: exported }, 'index.js', `@headrace/${name}`, commonParameters, comments).map(
        withRunnableExample,
      ),
    );
  }
  writeFileSync(new URL('dist/catalog.jsonl', folder), catalogText(entries));
  console.log(`plugin ${name}: ${entries.map((entry) => entry.name).join(', ')}`);
}
