import {
  type CatalogEntry,
  type ComponentKind,
  findPluginClass,
  missingPlugin,
  nearest,
  pluginClassNames,
  Registry,
} from '@headrace/engine';
import { registrySource } from '../config/load-config.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { describeComponent, firstSentence } from './component-page.ts';
import { searchComponents } from './search-components.ts';

interface ComponentsOptions {
  readonly components: readonly string[];
  readonly json: boolean;
}

const KINDS: readonly ComponentKind[] = ['connector', 'stage', 'indexer'];

/** `headrace components [NAME...]`: lists, explains or searches the components for configs. */
export async function components(words: readonly (string | undefined)[], options: ComponentsOptions): Promise<number> {
  const name = words.length === 0 ? undefined : words.join(' ');
  const registry = await Registry.open(registrySource(undefined, options.components));
  const all = KINDS.flatMap((kind) => registry.list(kind));
  if (name === undefined) {
    print(options.json ? json(all.map(toJson)) : KINDS.map((kind) => table(kind, all)).join('\n'));
    return EXIT.ok;
  }
  const type = name.toLowerCase();
  const byName = all.filter((entry) => entry.name === name || entry.aliases.includes(name));
  const found = byName.length > 0 ? byName : all.filter((entry) => entry.type?.toLowerCase() === type);
  if (found.length === 0) {
    const missing = missingComponent(name);
    if (missing !== undefined) throw new CommandError(`${missing.message}. ${missing.hint}`, EXIT.invalid);
    const handler = findPluginClass('file handler', name);
    if (handler !== undefined) throw new CommandError(aboutFileHandler(handler), EXIT.invalid);
    const names = all.flatMap((entry) => [entry.name, ...(entry.type === undefined ? [] : [entry.type])]);
    const best = nearest(name.slice(name.lastIndexOf('.') + 1), [...names, ...KINDS.flatMap(pluginClassNames)]);
    const matches = best === undefined || words.length > 1 ? searchComponents(name, all) : [];
    if (matches.length === 0) {
      const hint = best === undefined ? '`headrace components` lists them.' : `Did you mean ${best}?`;
      throw new CommandError(`There is no component ${name}. ${hint}`, EXIT.invalid);
    }
    print(options.json ? json(matches.map(toJson)) : matchTable(matches));
    return EXIT.ok;
  }
  const [first] = found as [CatalogEntry, ...CatalogEntry[]];
  print(options.json ? json(toJson(first)) : found.map(describeComponent).join('\n'));
  return EXIT.ok;
}

/** The texts come from the code of components, so their line breaks are not foreign. */
function print(text: string): void {
  writeLines('stdout', text.trimEnd().split('\n'));
}

/** Returns the error for a component of a plugin that is not installed. `name` is a class or a type of an indexer. */
function missingComponent(name: string) {
  return KINDS.map((kind) => missingPlugin(kind, name)).find(Boolean) ?? missingPlugin('indexer', `${name}Indexer`);
}

/** File handlers have no pages: they are parts of a component. */
function aboutFileHandler({ name, npm }: { name: string; npm: string }): string {
  return (
    `${name} is a file handler of the package ${npm}, not a component. FileConnector and ApplyFileHandlers use it: ` +
    `fileHandlers { mp4 { class: ${name} } }. The README of the package lists its parameters.`
  );
}

/** Returns a component in the format of the API endpoint `config-info`. */
function toJson({ name, kind, aliases, type, block, package: from, description, fields, examples }: CatalogEntry) {
  return { class: name, kind, aliases, type, block, package: from, description, fields, examples };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function table(kind: ComponentKind, all: readonly CatalogEntry[]): string {
  const entries = all.filter((entry) => entry.kind === kind);
  const width = Math.max(0, ...entries.map((entry) => entry.name.length));
  const rows = entries.map((entry) => `  ${entry.name.padEnd(width)}  ${firstSentence(entry)}`.trimEnd());
  return `${kind[0]?.toUpperCase()}${kind.slice(1)}s\n${rows.map((row) => `${row}\n`).join('')}`;
}

/** Returns the search results as a table, best match first. */
function matchTable(entries: readonly CatalogEntry[]): string {
  const width = Math.max(...entries.map((entry) => entry.name.length));
  const rows = entries.map((entry) => `${entry.name.padEnd(width)}  ${entry.kind.padEnd(9)}  ${firstSentence(entry)}`);
  return `${rows.map((row) => row.trimEnd()).join('\n')}\n`;
}
