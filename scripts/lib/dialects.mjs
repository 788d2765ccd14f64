// The dialect packages, which implement languages defined by others. They know nothing about ingest.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { root } from './root.mjs';

/** Packages whose code goes into the bundle of the package that uses them. */
export class Dialects {
  /** The names without the scope. */
  names;
  #files = new Map();

  /** @param names the names without the scope */
  constructor(names) {
    this.names = names;
    for (const name of names) {
      for (const [entry, file] of Object.entries(entriesOf(name))) {
        const specifier = entry === 'index' ? `@headrace/${name}` : `@headrace/${name}/${entry}`;
        this.#files.set(specifier, join(root, 'packages', name, 'dist', file));
      }
    }
  }

  /** Returns the dialects that a package lists in its devDependencies. */
  static of(name) {
    const ours = Object.keys(readManifest(name).devDependencies ?? {}).filter((id) => id.startsWith('@headrace/'));
    const names = ours.map((id) => id.replace('@headrace/', ''));
    // A private package serves only tests.
    return new Dialects(names.filter((id) => readManifest(id).private !== true));
  }

  /** Returns whether the bundle imports a module by its name instead of including its code. */
  isLibrary = (id) => hasName(id) && !this.#files.has(id);

  plugin = { name: 'dialects', resolveId: (id) => this.#files.get(id) ?? null };
}

export const noDialects = new Dialects([]);

/** Returns the exports of a package: the name of each entry, and its compiled file in `dist`. */
export function entriesOf(name) {
  return Object.fromEntries(
    Object.entries(readManifest(name).exports).map(([path, { types }]) => [
      path === '.' ? 'index' : path.slice(2),
      types.replace('./dist/', '').replace(/\.d\.ts$/, '.js'),
    ]),
  );
}

/** Returns whether a module is found by a name, as packages are. `#typebox` is a file of this repository. */
export function hasName(specifier) {
  return /^[a-z@]/i.test(specifier) && !isAbsolute(specifier);
}

function readManifest(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}
