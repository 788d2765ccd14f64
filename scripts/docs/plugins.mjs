// The plugins and their components, from their package.json and from the catalogs that the build writes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readCatalog } from '@headrace/engine';
import { root } from '../lib/root.mjs';

export const plugins = readdirSync(join(root, 'plugins'))
  .filter((folder) => existsSync(join(root, 'plugins', folder, 'package.json')))
  .map((folder) => {
    const path = join(root, 'plugins', folder);
    const { name, description } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const entries = readCatalog(pathToFileURL(join(path, 'dist/catalog.jsonl')).href);
    return { folder, name, description, entries, handlers: handlersIn(path), pathOf: (entry) => pageOf(path, entry) };
  });

/** Returns the file handlers of a plugin, which are no components: `{ name, summary }`. */
function handlersIn(path) {
  return readdirSync(join(path, 'src'))
    .filter((file) => /^[^.]+\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(path, 'src', file), 'utf8');
      const [, comment = '', name] =
        /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const (\w+): FileHandler /.exec(text) ?? [];
      const summary = comment
        .replaceAll(/\s*\*\s*/g, ' ')
        .trim()
        .split(/(?<=\.)\s/, 1)[0];
      return name === undefined ? [] : [{ name, summary }];
    });
}

/** Returns the name of a component page, which is the name of its source file. */
function pageOf(path, { name }) {
  const isSource = (file) => readFileSync(join(path, 'src', file), 'utf8').includes(`export class ${name} `);
  const source = readdirSync(join(path, 'src')).find((file) => /^[^.]+\.ts$/.test(file) && isSource(file));
  if (source === undefined) throw new Error(`plugins: no file in ${path}/src has the class ${name}`);
  return source.replace(/ts$/, 'md');
}
