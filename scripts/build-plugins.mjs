// Compiles the plugins, and writes the catalog of each, which describes its components.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';
import { mustRun } from './lib/root.mjs';
import { withRunnableExample } from './lib/runnable-example.mjs';

const plugins = new URL('../plugins/', import.meta.url);
const names = readdirSync(plugins).filter((name) => existsSync(new URL(`${name}/tsconfig.json`, plugins)));
await mustRun('tsc', ['-b', ...names.map((name) => `plugins/${name}`)]);
for (const name of names) {
  const folder = new URL(`${name}/`, plugins);
  const entries = [];
  const exports = await import(new URL('dist/index.js', folder).href);
  for (const [component, exported] of Object.entries(exports)) {
    // The comments of a component are in the file that has its name.
    const file = component.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
    const source = new URL(`src/${file}.ts`, folder).href;
    entries.push(
      ...describeModule({ [component]: exported }, source, 'index.js', `@headrace/${name}`, commonParameters).map(
        withRunnableExample,
      ),
    );
  }
  writeFileSync(new URL('dist/catalog.jsonl', folder), catalogText(entries));
  console.log(`plugin ${name}: ${entries.map((entry) => entry.name).join(', ')}`);
}
