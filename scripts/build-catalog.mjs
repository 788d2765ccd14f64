// Writes packages/components/bundle/catalog.json: what is known of every built-in component without loading it.
// Runs after the bundler, because it reads the parameters from the bundled classes and the descriptions from
// the class comments in their sources.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { commonParameters, describeModule } from '@headrace/engine';

const room = new URL('../packages/components/', import.meta.url);
const entries = [];
for (const kind of ['connectors', 'stages', 'indexers']) {
  for (const file of readdirSync(new URL(`src/${kind}/`, room)).sort()) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue;
    const module = `./${kind}/${file.replace(/\.ts$/, '.js')}`;
    const exports = await import(new URL(`bundle/${kind}/${file.replace(/\.ts$/, '.js')}`, room).href);
    const source = readFileSync(new URL(`src/${kind}/${file}`, room), 'utf8');
    entries.push(...describeModule(exports, source, module, '@headrace/components', commonParameters));
  }
}
// In one step: who reads it meanwhile gets the old one.
writeFileSync(new URL('bundle/catalog.json.new', room), `${JSON.stringify(entries)}\n`);
renameSync(new URL('bundle/catalog.json.new', room), new URL('bundle/catalog.json', room));
console.log(`catalog: ${entries.length} components`);
