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
import { pluginClassNames } from './plugin-classes.ts';
import type { StageClass } from './stage.ts';

/** The options of a registry. Plain data, so that every thread can create a registry from them. */
export interface RegistrySource {
  /** The URLs of the catalog files of built-in components and plugins. */
  readonly catalogs: readonly string[];
  /** The modules of custom components: paths or package names. */
  readonly modules: readonly string[];
  /** The URL of the directory for relative module paths, with a slash at its end. */
  readonly base: string;
  /**
   * True if a config may name a module itself, such as `./my-stage.js#MyStage`. This runs code, so it must be false for
   * untrusted configs.
   */
  readonly allowModules: boolean;
  /**
   * The policy for the configs. Undefined means no restrictions for trusted configs, and the default policy for others.
   */
  readonly policy?: Policy | undefined;
  /** True in the service: configs that only distributed runs can execute are refused. */
  readonly localOnly?: boolean;
}

/**
 * Makes `require.resolve` find the same files as `import`, because many packages only export these. Node supports this
 * option but does not document it yet. `import.meta.resolve` cannot start from another directory.
 */
const AS_IMPORT = { conditions: new Set(['node', 'import']) } as object;

interface ClassByKind {
  connector: ConnectorClass;
  stage: StageClass;
  indexer: IndexerClass;
}

/** Finds components by the names that configs use. Loads their modules on demand. */
export class Registry {
  readonly source: RegistrySource;
  readonly #entries: CatalogEntry[] = [];
  readonly #byName = new Map<string, CatalogEntry>();
  readonly #loaded = new Map<string, ClassByKind[ComponentKind]>();
  readonly #builtIn = new Set<string>();

  private constructor(source: RegistrySource) {
    this.source = source;
  }

  /**
   * Reads the catalogs and loads the custom modules. Throws `HR_CONFIG_COMPONENT_LOAD` if a module cannot be loaded.
   */
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

  /**
   * The URLs of the modules of built-in components that are loaded. Another thread will probably need the same modules.
   */
  get loadedModules(): string[] {
    const modules = new Set<string>();
    for (const key of this.#loaded.keys()) modules.add(key.slice(0, key.lastIndexOf('#')));
    return [...modules].filter((module) => this.#builtIn.has(module));
  }

  /** Returns all known components of a kind, sorted by name. */
  list(kind: ComponentKind): CatalogEntry[] {
    return this.#entries.filter((entry) => entry.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Returns the component with this name: a short name, a Java name, or `module#Class`. Returns undefined for an
   * unknown name. Throws an error with a code and a hint if the module is not allowed, cannot be loaded, or does not
   * export the class.
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

  /**
   * Returns true if the module with this URL comes from a catalog. Modules that the service file, a command or a config
   * names are not built in.
   */
  isBuiltIn(module: string): boolean {
    return this.#builtIn.has(module);
  }

  /** Returns the indexer for a value of `indexer.type`. Ignores letter case. */
  findIndexerType(type: string): CatalogEntry | undefined {
    return this.#entries.find((entry) => entry.kind === 'indexer' && entry.type?.toLowerCase() === type.toLowerCase());
  }

  /** Returns the short name, of an installed class or one of a plugin, that is most similar to a misspelt name. */
  suggest(kind: ComponentKind, name: string): string | undefined {
    const short = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('#')) + 1);
    return nearest(short, [...this.list(kind).map((entry) => entry.name), ...pluginClassNames(kind)]);
  }

  /**
   * Loads the class of a component. Throws `HR_CONFIG_COMPONENT_LOAD` if the module cannot be loaded or does not export
   * it.
   */
  async load<K extends ComponentKind>(entry: CatalogEntry, kind: K): Promise<ClassByKind[K]> {
    // The map avoids a second import of a module, which takes as long as the check of a small config.
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
      // A module may be given twice, as a path and as a package. The same class is not a conflict.
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

  /** Returns the component of a module that was loaded when the registry was opened. */
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
    const entries = describeModule(exports, url, specifier, commonParameters);
    // A custom class only has the Java name that it declares. The default Java name of the reference would be wrong.
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
        hint: `Install it in ${fileURLToPath(this.source.base)} or a parent folder, or write a path that starts with "./".`,
        cause: error,
      });
    }
  }
}

function isPath(specifier: string): boolean {
  return /^\.{0,2}\//.test(specifier);
}

/**
 * Returns the error for a class that is not found in its module. If the config only names the module, the class name is
 * empty.
 */
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
    const lacks = 'kind' in exported ? 'has no `static parameters`' : 'is not a component';
    return new HeadraceError('HR_CONFIG_COMPONENT_LOAD', `The class ${className} of ${specifier} ${lacks}`, {
      hint: 'It must extend Connector, Stage or Indexer and have `static parameters = Type.Object({ … })`.',
    });
  }
  return new HeadraceError('HR_CONFIG_UNKNOWN_CLASS', `The module ${specifier} exports no ${kind} ${className}`, {
    hint: names.length === 0 ? none : `It exports: ${names.join(', ')}.`,
  });
}

/** @param specifier the name of the module in the config or the service file */
async function importModule(url: string, specifier: string): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    // Node appends the file that imports the module. This helps if the module itself imports a missing file, but not if
    // the importing file is this one.
    const reason = messageOf(error).replace(` imported from ${fileURLToPath(import.meta.url)}`, '');
    const message = `The module ${specifier} cannot be loaded: ${reason}`;
    throw new HeadraceError('HR_CONFIG_COMPONENT_LOAD', message, { cause: error });
  }
}
