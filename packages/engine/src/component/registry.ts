import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { nearest } from '../errors/nearest.ts';
import type { Policy } from '../policy/policy.ts';
import { type CatalogEntry, type ComponentKind, describeModule, isComponentClass } from './catalog.ts';
import { readCatalog } from './catalog-file.ts';
import { commonParameters } from './common-parameters.ts';
import type { ConnectorClass } from './connector.ts';
import type { IndexerClass } from './indexer.ts';
import type { StageClass } from './stage.ts';

/** What a registry is made of: plain data, so that every thread can make its own. */
export interface RegistrySource {
  /** URLs of the catalog files of built-in components and plugins. */
  readonly catalogs: readonly string[];
  /** Modules of custom components: paths, or names of packages. */
  readonly modules: readonly string[];
  /** URL of the directory (with a slash at its end) that relative paths of modules start from. */
  readonly base: string;
  /** Whether a config may name a module itself (`./my-stage.js#MyStage`). Not for configs of strangers: it runs code. */
  readonly allowModules: boolean;
  /** What the configs that use it may do besides; undefined: everything, or, where they are not trusted, the default. */
  readonly policy?: Policy | undefined;
}

/**
 * Makes `require.resolve` find what `import` would: many packages offer nothing else. Node takes this option but
 * does not document it yet; `import.meta.resolve` cannot start from another directory.
 */
const AS_IMPORT = { conditions: new Set(['node', 'import']) } as object;

interface ClassByKind {
  connector: ConnectorClass;
  stage: StageClass;
  indexer: IndexerClass;
}

/** Finds components by the names that configs use, and loads them when they are needed. */
export class Registry {
  readonly source: RegistrySource;
  readonly #entries: CatalogEntry[] = [];
  readonly #byName = new Map<string, CatalogEntry>();
  readonly #loaded = new Map<string, ClassByKind[ComponentKind]>();
  readonly #builtIn = new Set<string>();

  private constructor(source: RegistrySource) {
    this.source = source;
  }

  /** Reads the catalogs and loads the custom modules. Throws `HR_CONFIG_COMPONENT_LOAD` for a module that cannot be loaded. */
  static async open(source: RegistrySource): Promise<Registry> {
    const registry = new Registry(source);
    for (const url of source.catalogs) {
      for (const entry of readCatalog(url)) {
        registry.#add(entry);
        registry.#builtIn.add(entry.module);
      }
    }
    for (const specifier of source.modules) {
      const { entries: found } = await registry.#loadModule(specifier);
      if (found.length === 0) {
        throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `The module ${specifier} exports no component`, {
          hint: 'Export a class that extends Connector, Stage or Indexer and has `static parameters`.',
        });
      }
      for (const entry of found) registry.#add(entry);
    }
    return registry;
  }

  /** The modules of built-in components that have been loaded, as URLs: another thread will probably need the same. */
  get loadedModules(): string[] {
    const modules = new Set<string>();
    for (const key of this.#loaded.keys()) modules.add(key.slice(0, key.lastIndexOf('#')));
    return [...modules].filter((module) => this.#builtIn.has(module));
  }

  /** Every known component of a kind, sorted by name. */
  list(kind: ComponentKind): CatalogEntry[] {
    return this.#entries.filter((entry) => entry.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * The component of this name (short, Java, or `module#Class`); undefined when there is none. Throws, with code
   * and hint, when a module may not or cannot be loaded, or lacks the class.
   */
  async find(kind: ComponentKind, name: string): Promise<CatalogEntry | undefined> {
    const known = this.#byName.get(`${kind} ${name}`);
    if (known !== undefined) return known;
    const hash = name.lastIndexOf('#');
    if (hash <= 0 && !isPath(name)) return undefined;
    const specifier = hash <= 0 ? name : name.slice(0, hash);
    const className = hash <= 0 ? '' : name.slice(hash + 1);
    const registered = this.#registered(kind, specifier, className);
    if (registered !== undefined) return registered;
    if (!this.source.allowModules) {
      throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `An uploaded config may not load the module ${specifier}`, {
        hint: 'Name the module under `components` in the service file.',
      });
    }
    const { entries, exports } = await this.#loadModule(specifier);
    const candidates = entries.filter((entry) => entry.kind === kind);
    const found = candidates.find((entry) => entry.name === className);
    if (found === undefined) throw hasNoClass(kind, specifier, className, candidates, exports);
    this.#byName.set(`${kind} ${name}`, found);
    return found;
  }

  /** Whether a module, by its URL, is of a catalog: not one that the service file, a command or a config names. */
  isBuiltIn(module: string): boolean {
    return this.#builtIn.has(module);
  }

  /** The indexer that `indexer.type` selects, letter case aside. */
  findIndexerType(type: string): CatalogEntry | undefined {
    return this.#entries.find((entry) => entry.kind === 'indexer' && entry.type?.toLowerCase() === type.toLowerCase());
  }

  /** The known name most like a misspelt one, in the form it was given in. */
  suggest(kind: ComponentKind, name: string): string | undefined {
    const short = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('#')) + 1);
    return nearest(
      short,
      this.list(kind).map((entry) => entry.name),
    );
  }

  /** Loads the class of a component. Throws `HR_CONFIG_COMPONENT_LOAD` if its module cannot be loaded or lacks the class. */
  async load<K extends ComponentKind>(entry: CatalogEntry, kind: K): Promise<ClassByKind[K]> {
    // Importing a module again costs as much as checking a small config; the map costs nothing.
    const key = `${entry.module}#${entry.name}`;
    let loaded = this.#loaded.get(key);
    if (loaded === undefined) {
      const exported = (await importModule(entry.module, entry.package))[entry.name];
      if (!isComponentClass(exported) || exported.kind !== kind) {
        throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `The module ${entry.module} has no ${kind} ${entry.name}`);
      }
      loaded = exported as unknown as ClassByKind[ComponentKind];
      this.#loaded.set(key, loaded);
    }
    return loaded as ClassByKind[K];
  }

  #add(entry: CatalogEntry): void {
    for (const name of [entry.name, ...entry.aliases]) {
      const key = `${entry.kind} ${name}`;
      const other = this.#byName.get(key);
      // The same class under two names of its module, a path and a package, is no clash.
      if (other?.module === entry.module && other.name === entry.name) return;
      if (other !== undefined) {
        throw new HeadraceError(
          'HR_CONFIG_DUPLICATE_NAME',
          `The ${entry.kind} ${name} exists twice: in ${other.module} and in ${entry.module}`,
          { hint: 'Rename the custom class.' },
        );
      }
      this.#byName.set(key, entry);
    }
    this.#entries.push(entry);
  }

  /** The component of a module that was loaded when the registry was opened. */
  #registered(kind: ComponentKind, specifier: string, className: string): CatalogEntry | undefined {
    const candidates = this.#entries.filter(
      (entry) => entry.kind === kind && (entry.name === className || className === ''),
    );
    if (candidates.length === 0) return undefined;
    const url = this.#resolve(specifier);
    const exported = candidates.filter((entry) => entry.module === url);
    if (className === '' && exported.length > 0) throw hasNoClass(kind, specifier, className, exported, {});
    return exported[0];
  }

  async #loadModule(
    specifier: string,
  ): Promise<{ entries: CatalogEntry[]; exports: Readonly<Record<string, unknown>> }> {
    const url = this.#resolve(specifier);
    const exports = await importModule(url, specifier);
    const file = url.startsWith('file:') ? url : undefined;
    const entries = describeModule(exports, file, url, specifier, commonParameters);
    // The Java name that is made of the class name would be wrong: custom classes have only one that they declare.
    for (const entry of entries)
      entry.aliases = entry.aliases.filter((alias) => !alias.startsWith('com.kmwllc.lucille.'));
    return { entries, exports };
  }

  #resolve(specifier: string): string {
    if (specifier.startsWith('file:')) return specifier;
    if (isPath(specifier)) return new URL(specifier, this.source.base).href;
    try {
      return pathToFileURL(createRequire(this.source.base).resolve(specifier, AS_IMPORT)).href;
    } catch (error) {
      throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `The package ${specifier} cannot be found`, {
        hint: `Install it where ${fileURLToPath(this.source.base)} sees it, or give a path that starts with "./".`,
        cause: error,
      });
    }
  }
}

function isPath(specifier: string): boolean {
  return /^\.{0,2}\//.test(specifier);
}

/** Why a class is not found in its module. Without a name, the module alone was given. */
function hasNoClass(
  kind: ComponentKind,
  specifier: string,
  className: string,
  candidates: readonly CatalogEntry[],
  exports: Readonly<Record<string, unknown>>,
): HeadraceError {
  const names = candidates.map(({ name }) => name);
  const none = `It exports no ${kind}s.`;
  if (className === '') {
    const choices = names.map((name) => `${specifier}#${name}`).join(' or ');
    return new HeadraceError('HR_CONFIG_UNKNOWN_CLASS', `${specifier} is a module, not a class`, {
      hint: choices === '' ? none : `Name the class: ${choices}.`,
    });
  }
  const exported = exports[className];
  if (typeof exported === 'function' && !isComponentClass(exported)) {
    const lacks = 'kind' in exported ? 'has no `static parameters`' : 'is no component';
    return new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `The class ${className} of ${specifier} ${lacks}`, {
      hint: 'It must extend Connector, Stage or Indexer and have `static parameters = Type.Object({ … })`.',
    });
  }
  return new HeadraceError('HR_CONFIG_UNKNOWN_CLASS', `The module ${specifier} exports no ${kind} ${className}`, {
    hint: names.length === 0 ? none : `Its ${kind}s are: ${names.join(', ')}.`,
  });
}

/** @param specifier how the module was named */
async function importModule(url: string, specifier: string): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    // Node says who asked for a module. That is of use when the module itself did, and noise when it was this file.
    const reason = messageOf(error).replace(` imported from ${fileURLToPath(import.meta.url)}`, '');
    const message = `The module ${specifier} cannot be loaded: ${reason}`;
    throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', message, { cause: error });
  }
}
