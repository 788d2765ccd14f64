// Writes packages/components/bundle/catalog.jsonl: what is known of every built-in component without loading it.
// Runs after the bundler, because it lists the files that the bundler has written. Parameters come from the compiled
// classes, descriptions from the doc comments in their sources.
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';

const folder = new URL('../packages/components/', import.meta.url);
const entries = [];
for (const kind of ['connectors', 'stages', 'indexers']) {
  for (const file of readdirSync(new URL(`src/${kind}/`, folder)).sort()) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const own = `${kind}/${file.replace(/\.ts$/, '.js')}`;
    const module = existsSync(new URL(`bundle/${own}`, folder)) ? own : 'field-stages.js';
    const exports = await import(new URL(`dist/${own}`, folder).href);
    const source = new URL(`src/${kind}/${file}`, folder).href;
    entries.push(...describeModule(exports, source, module, '@headrace/components', commonParameters));
  }
}
// In one step: who reads it meanwhile gets the old one.
writeFileSync(new URL('bundle/catalog.jsonl.new', folder), catalogText(entries));
renameSync(new URL('bundle/catalog.jsonl.new', folder), new URL('bundle/catalog.jsonl', folder));
console.log(`catalog: ${entries.length} components`);
