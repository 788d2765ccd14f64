// Writes packages/components/bundle/catalog.jsonl: what is known of every built-in component without loading it.
// Runs after the bundler, because it tells where that has put them. Parameters come from the compiled classes,
// descriptions from the class comments in their sources.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { catalogText, commonParameters, describeModule } from '@headrace/engine';

const room = new URL('../packages/components/', import.meta.url);
const entries = [];
for (const kind of ['connectors', 'stages', 'indexers']) {
  for (const file of readdirSync(new URL(`src/${kind}/`, room)).sort()) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const own = `${kind}/${file.replace(/\.ts$/, '.js')}`;
    const module = existsSync(new URL(`bundle/${own}`, room)) ? own : 'field-stages.js';
    const exports = await import(new URL(`dist/${own}`, room).href);
    const source = readFileSync(new URL(`src/${kind}/${file}`, room), 'utf8');
    entries.push(...describeModule(exports, source, module, '@headrace/components', commonParameters));
  }
}
// In one step: who reads it meanwhile gets the old one.
writeFileSync(new URL('bundle/catalog.jsonl.new', room), catalogText(entries));
renameSync(new URL('bundle/catalog.jsonl.new', room), new URL('bundle/catalog.jsonl', room));
console.log(`catalog: ${entries.length} components`);
