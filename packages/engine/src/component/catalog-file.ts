import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CatalogEntry } from './catalog.ts';

/** The larger part of a catalog entry. Most threads need it only for the few components of their config. */
type Description = Pick<CatalogEntry, 'description' | 'fields' | 'schema' | 'examples'>;

/**
 * Returns the text of a catalog file. The file is next to the modules that it lists. Each component has two lines of
 * JSON: the first contains the names by which it is found, the second contains its description.
 */
export function catalogText(entries: readonly CatalogEntry[]): string {
  const lines = entries.flatMap(({ description, fields, schema, examples, ...found }) => {
    const described: Description = { description, fields, schema, examples };
    return [found, described];
  });
  // Each thread keeps this text in memory. With a character that is not in Latin-1, V8 needs twice the memory for it.
  return lines.map((line) => `${JSON.stringify(line).replace(/[^\0-\xff]/g, escaped)}\n`).join('');
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const known = new Map<string, readonly CatalogEntry[]>();

/** Reads a catalog file. Each thread reads it only once. */
export function readCatalog(url: string): readonly CatalogEntry[] {
  let entries = known.get(url);
  if (entries === undefined) {
    const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
    const folder = url.slice(0, url.lastIndexOf('/') + 1);
    entries = lines.flatMap((line, i) =>
      i % 2 === 0 && line !== '' ? readEntry(line, lines[i + 1] ?? '', folder) : [],
    );
    known.set(url, entries);
  }
  return entries;
}

function readEntry(line: string, description: string, folder: string): CatalogEntry {
  const found = JSON.parse(line) as Omit<CatalogEntry, keyof Description>;
  let described: Description | undefined;
  const read = (): Description => (described ??= JSON.parse(description) as Description);
  return {
    ...found,
    module: folder + found.module,
    get description() {
      return read().description;
    },
    get fields() {
      return read().fields;
    },
    get schema() {
      return read().schema;
    },
    get examples() {
      return read().examples;
    },
  };
}
