// Writes catalog.jsonl: what is known of every built-in component without loading it. Parameters come from the classes,
// descriptions from the doc comments in their sources.
//
// After a build: packages/components/bundle/catalog.jsonl, which lists the files that the bundler has written. With
// --source, for tests: packages/components/src/catalog.jsonl, which lists the sources.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';

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
    entries.push(...describeModule(exports, url, module, '@headrace/components', commonParameters));
  }
}
const catalog = new URL(`${ofSources ? 'src' : 'bundle'}/catalog.jsonl`, folder);
// In one step: a reader gets the old file or the new one.
const fresh = new URL('catalog.jsonl.new', catalog);
writeFileSync(fresh, catalogText(entries));
renameSync(fresh, catalog);
console.log(`catalog: ${entries.length} components`);
