// Writes catalog.jsonl, which describes every built-in component, so that no component must be loaded for it.
// Parameters come from the classes, descriptions from the doc comments in their sources. Stages have examples in their
// classes. The examples of connectors and indexers are the configs in examples/.
//
// After a build, it writes packages/components/bundle/catalog.jsonl, which lists the files of the bundler. With
// --source, for tests, it writes packages/components/src/catalog.jsonl, which lists the sources.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';
import { readDocComments } from './lib/doc-comments.ts';
import { withRunnableExample } from './lib/runnable-example.mjs';

const ofSources = process.argv.includes('--source');
const folder = new URL('../packages/components/', import.meta.url);
const entries = [];
for (const kind of ['connectors', 'stages', 'indexers']) {
  for (const file of readdirSync(new URL(`src/${kind}/`, folder)).sort()) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const source = `${kind}/${file}`;
    const compiled = source.replace(/\.ts$/, '.js');
    const bundled = existsSync(new URL(`bundle/${compiled}`, folder)) ? compiled : 'field-stages.js';
    const exports = await import(new URL(ofSources ? `src/${source}` : `dist/${compiled}`, folder).href);
    const url = new URL(`src/${source}`, folder).href;
    const module = ofSources ? source : bundled;
    entries.push(
      ...describeModule(exports, module, '@headrace/components', commonParameters, readDocComments(url)).map(
        withRunnableExample,
      ),
    );
  }
}
const catalog = new URL(`${ofSources ? 'src' : 'bundle'}/catalog.jsonl`, folder);
// A rename replaces the file in one step, so a reader never sees half a file.
const fresh = new URL('catalog.jsonl.new', catalog);
writeFileSync(fresh, catalogText(entries));
renameSync(fresh, catalog);
console.log(`catalog: ${entries.length} components`);
