import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles, type WorkspacePackage, workspacePackages } from './repository.ts';

/**
 * Packages that implement languages and formats defined by others. They know nothing about ingest, and import no other
 * package of the repository, except in tests.
 */
const DIALECTS = ['formats', 'languages', 'sandbox', 'text-analysis'];

/**
 * The packages of the repository that each package may import. A plugin may import only the exports of `headrace`, and
 * `local-models`, which is a library of plugins, and more in its tests.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(DIALECTS.map((name) => [name, []])),
  formats: ['testing'],
  languages: ['testing'],
  'text-analysis': ['testing'],
  hocon: ['testing'],
  engine: ['hocon', 'sandbox', 'testing'],
  testing: [],
  components: ['engine', 'testing', ...DIALECTS],
  service: ['engine', 'components', 'testing'],
  client: [],
  web: ['client', 'engine', 'hocon'],
  distributed: ['hocon', 'engine', 'components', 'testing'],
  headrace: ['hocon', 'engine', 'components', 'service', 'distributed'],
  'local-models': ['headrace', 'testing'],
};

/**
 * Libraries that a component module may import statically. A component imports heavier libraries when it starts. The
 * XML parser is 50 KB.
 */
const LIGHT = new RegExp(
  `^(node:|\\.|@headrace/engine(/reading)?$|headrace/(charsets|delivery|engine|handlers|http|storage)$|@headrace/local-models$|@headrace/(${DIALECTS.join('|')})(/|$)|typebox$|saxes$)`,
);
/** Exports of the dialect packages that load heavier libraries. */
const HEAVY_ENTRIES = ['@headrace/languages/jsonata', '@headrace/formats/xml/html/reader'];

/**
 * These modules load heavy libraries, so components import them only when they start. components.process.test.ts
 * checks this.
 */
const LOADED_AT_START =
  /^packages\/(languages\/src\/jsonata\/|formats\/src\/xml\/html\/reader\/|components\/src\/kafka\/client\.ts$)/;

/** The files directly in `src` count as a folder. They combine the package, so no folder may import them. */
const ROOT = '(src)';

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** True for an import of types, which does not exist at run time. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const files = repositoryFiles().filter((path) => /\.(ts|tsx|mjs|js|svelte)$/.test(path));
const imports = files.flatMap(importsOf);
const byPackage = workspacePackages.map((owner) => ({
  owner,
  imports: imports.filter(({ file }) => file.startsWith(`${owner.path}/src/`)),
}));

describe('imports between packages', () => {
  it('are found by the pattern of this test', () => {
    const known = {
      file: 'packages/engine/src/config/check-config.ts',
      specifier: '@headrace/hocon',
      typeOnly: true,
      dynamic: false,
    };
    expect(imports).toContainEqual(known);
  });

  it.each(byPackage)('of $owner.path go only to allowed packages', ({ owner, imports }) => {
    const allowed = owner.isPlugin
      ? ['headrace', 'local-models', 'engine', 'components', 'testing']
      : MAY_IMPORT[owner.name];
    expect(allowed, `tests/house/imports.test.ts does not know what ${owner.path} may import`).toBeDefined();
    const wrong = imports.filter(({ file, specifier }) => {
      const other = packageOf(specifier);
      if (other === undefined || other === owner.name) return false;
      const onlyInTests = other === 'testing' || (owner.isPlugin && !['headrace', 'local-models'].includes(other));
      return !allowed?.includes(other) || (onlyInTests && !isForTests(file));
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it.each(byPackage)(
    'of $owner.path are relative inside the package and have a file extension',
    ({ owner, imports }) => {
      const wrong = imports.filter(({ file, specifier }) => {
        if (!specifier.startsWith('.')) return false;
        const target = normalize(join(dirname(file), specifier));
        return !target.startsWith(`${owner.path}/src/`) || !/\.(ts|tsx|js|json|css|svelte)$/.test(specifier);
      });
      expect(wrong.map(shown)).toEqual([]);
    },
  );

  it('between packages use only paths that the package exports', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      // A benchmark may import generated data, to compare what libraries do with the same data.
      if (file.startsWith('bench/') && specifier.endsWith('.generated.ts')) return false;
      // It measures a pipeline thread without its messages. No package exports these parts.
      if (file === 'bench/pipeline-thread.mjs') return false;
      const name = packageOf(specifier);
      if (name === undefined) return /(^|\/)(packages|plugins)\/[^/]+\/(src|dist)\//.test(specifier);
      // Examples, benchmarks and the tests of terminated threads use plugins as a user does.
      const owner = workspacePackages.find(
        (one) => one.name === name && (!one.isPlugin || /^(examples|bench|tests\/run\/terminated)\//.test(file)),
      );
      return owner === undefined || !owner.exported.includes(subpathOf(specifier, owner));
    });
    expect(wrong.map(shown)).toEqual([]);
  });
});

describe('imports between the folders of a package', () => {
  it.each(byPackage)('of $owner.path never go in both directions between two folders', ({ owner, imports }) => {
    const named = files.filter((file) => file.startsWith(`${owner.path}/src/`)).flatMap(modulesByUrl);
    expect(mutualImports([...imports, ...named], `${owner.path}/src`)).toEqual([]);
  });

  it('are rejected if two folders import each other, unless one folder contains the other', () => {
    const imported = (file: string, specifier: string): Import => {
      return { file: `p/src/${file}`, specifier, typeOnly: true, dynamic: false };
    };
    const imports = [
      imported('b/one.ts', '../a/one.ts'),
      imported('a/deep/two.ts', '../../b/two.ts'),
      imported('a/two.ts', '../b/two.ts'),
      imported('a/deep/one.ts', '../one.ts'),
      imported('a/one.ts', './deep/one.ts'),
      imported('a/tested.test.ts', '../c/one.ts'),
      imported('c/one.ts', '../a/one.ts'),
      imported('c/one.ts', '../index.ts'),
      imported('index.ts', './c/one.ts'),
      imported('d/deep/one.ts', '../../e/one.ts'),
      imported('e/deep/one.ts', '../../d/one.ts'),
      imported('f/one.ts', './deep/one.ts'),
      imported('f/deep/one.ts', '../other/one.ts'),
      imported('f/other/one.ts', '../one.ts'),
      imported('f/one.ts', '../../package.json'),
    ];
    expect(mutualImports(imports, 'p/src')).toEqual(['(src) <-> c', 'a <-> b', 'd <-> e']);
  });
});

describe('components', () => {
  const componentFiles = byPackage
    .filter(({ owner }) => owner.name === 'components' || DIALECTS.includes(owner.name) || owner.isPlugin)
    // The components of a plugin are directly in its `src`. They load the modules in its folders when they start.
    .flatMap(({ owner, imports }) =>
      owner.isPlugin ? imports.filter(({ file }) => /^plugins\/[^/]+\/src\/[^/]+$/.test(file)) : imports,
    )
    .filter(({ file }) => !isForTests(file));

  it('import no heavy library statically', () => {
    const heavy = componentFiles.filter(
      ({ file, specifier, typeOnly, dynamic }) =>
        !typeOnly &&
        !dynamic &&
        (!LIGHT.test(specifier) || HEAVY_ENTRIES.includes(specifier)) &&
        !LOADED_AT_START.test(file),
    );
    expect(heavy.map(shown)).toEqual([]);
  });
});

describe('the bundle of the components', () => {
  it('uses the libraries of the dialects, which the components depend on in the same version', () => {
    const wanted = DIALECTS.flatMap((name) => Object.entries(dependenciesOf(name)));
    const found = dependenciesOf('components');
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter(([library, version]) => found[library] !== version)).toEqual([]);
  });
});

function dependenciesOf(name: string): Readonly<Record<string, string>> {
  const { dependencies, optionalDependencies } = JSON.parse(readText(`packages/${name}/package.json`)) as {
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };
  return { ...dependencies, ...optionalDependencies };
}

/** Returns the imports of a file. Relies on the format of Biome: statements begin a line, and quotes are single. */
function importsOf(file: string): Import[] {
  const text = readText(file);
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'/gm);
  const calls = text.matchAll(/\bimport\(\s*['`]([^'`$]+)['`]/g);
  return [
    ...Array.from(statements, ([, type, specifier]) => ({
      file,
      specifier: specifier as string,
      typeOnly: type !== undefined,
      dynamic: false,
    })),
    ...Array.from(calls, ([, specifier]) => ({ file, specifier: specifier as string, typeOnly: false, dynamic: true })),
  ];
}

/** Returns the modules that a file of a package names by their URLs, for threads or for `import()` elsewhere. */
function modulesByUrl(file: string): Import[] {
  // The extension may be computed, because tests run the sources.
  const urls = readText(file).matchAll(
    /\bnew URL\(\s*(?:'(\.[^']+\.[jt]s)'|`(\.[^`$]+)\$\{[^`]*`),\s*import\.meta\.url/g,
  );
  return Array.from(urls, ([, whole, start]) => ({
    file,
    specifier: whole ?? `${start}.ts`,
    typeOnly: false,
    dynamic: true,
  }));
}

/**
 * Returns pairs of folders that import each other, without tests. Imports of types count. A folder includes its
 * subfolders, which also count separately: `database/mysql` and `database/postgres` must not import each other. A folder
 * and its subfolder may: the folder combines its parts, and the parts use what the folder shares.
 */
function mutualImports(imports: readonly Import[], source: string): string[] {
  const edges = new Set<string>();
  for (const { file, specifier } of imports) {
    const target = normalize(join(dirname(file), specifier));
    if (!specifier.startsWith('.') || !target.startsWith(`${source}/`) || isForTests(file)) continue;
    const [from, to] = [foldersOf(file, source), foldersOf(target, source)];
    for (const one of from.filter((folder) => !to.includes(folder))) {
      for (const other of to.filter((folder) => !from.includes(folder))) edges.add(`${one} > ${other}`);
    }
  }
  return [...edges]
    .map((edge) => edge.split(' > ') as [string, string])
    .filter(([from, to]) => from < to && edges.has(`${to} > ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`)
    .sort();
}

/** Returns the folders of a file below `src`, such as `database` and `database/mysql`. */
function foldersOf(file: string, source: string): string[] {
  const names = dirname(file)
    .slice(source.length + 1)
    .split('/');
  return names[0] === '' ? [ROOT] : names.map((_, i) => names.slice(0, i + 1).join('/'));
}

/** Returns the package of the repository that an import specifier names. */
function packageOf(specifier: string): string | undefined {
  return /^@headrace\/([\w-]+)/.exec(specifier)?.[1] ?? (/^headrace(\/|$)/.test(specifier) ? 'headrace' : undefined);
}

function subpathOf(specifier: string, owner: WorkspacePackage): string {
  const name = owner.name === 'headrace' ? 'headrace' : `@headrace/${owner.name}`;
  return `.${specifier.slice(name.length)}`;
}

function shown({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`;
}
