import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles, type WorkspacePackage, workspacePackages } from './repository.ts';

/**
 * Engines for languages that others have defined. They do not depend on ingest, and import no other package of ours.
 */
const DIALECTS = ['charsets', 'java-text', 'json-path', 'jsonata', 'records', 'sandbox', 'text-analysis', 'xml'];

/** The packages of ours that each may import. A plugin may import the engine alone. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(DIALECTS.map((name) => [name, []])),
  hocon: [],
  engine: ['hocon'],
  testing: [],
  components: ['engine', 'testing', ...DIALECTS],
  service: ['engine', 'components'],
  client: [],
  web: [],
  distributed: ['engine', 'components', 'testing'],
  headrace: ['hocon', 'engine', 'components', 'service', 'distributed'],
};

/**
 * Libraries that a component may load with its module; anything heavier it imports when it starts. The XML parser is 50
 * KB.
 */
const LIGHT = new RegExp(`^(node:|\\.|@headrace/engine$|@headrace/(${DIALECTS.join('|')})(/|$)|typebox$|saxes$)`);
/** Entries of dialects that load something heavier. */
const HEAVY_ENTRIES = ['@headrace/jsonata', '@headrace/xml/html/reader'];

/** Folders that stages import when they start. components.process.test.ts checks that nothing loads them earlier. */
const LOADED_AT_START = /^packages\/(jsonata\/src|xml\/src\/html\/reader)\//;

/** The files directly in `src` are a folder like any other. They combine the package, so no folder imports them. */
const ROOT = '(src)';

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Gone when it runs. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const files = repositoryFiles().filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));
const imports = files.flatMap(importsOf);
const byPackage = workspacePackages.map((owner) => ({
  owner,
  imports: imports.filter(({ file }) => file.startsWith(`${owner.path}/src/`)),
}));

describe('imports between packages', () => {
  it('are found', () => {
    const known = {
      file: 'packages/engine/src/config/check-config.ts',
      specifier: '@headrace/hocon',
      typeOnly: true,
      dynamic: false,
    };
    expect(imports).toContainEqual(known);
  });

  it.each(byPackage)('of $owner.path have one direction', ({ owner, imports }) => {
    const allowed = owner.isPlugin ? ['engine'] : MAY_IMPORT[owner.name];
    expect(allowed, `tests/house/imports.test.ts does not know what ${owner.path} may import`).toBeDefined();
    const wrong = imports.filter(({ specifier }) => {
      const other = packageOf(specifier);
      return other !== undefined && other !== owner.name && !allowed?.includes(other);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it.each(byPackage)('of $owner.path stay inside it, and give the extension', ({ owner, imports }) => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const target = normalize(join(dirname(file), specifier));
      return !target.startsWith(`${owner.path}/src/`) || !/\.(ts|tsx|js|json|css)$/.test(specifier);
    });
    expect(wrong.map(shown)).toEqual([]);
  });

  it('go through what a package exports', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      // Only the data: a benchmark compares what is done with it.
      if (file.startsWith('bench/') && specifier.endsWith('.generated.ts')) return false;
      const name = packageOf(specifier);
      if (name === undefined) return /(^|\/)(packages|plugins)\/[^/]+\/(src|dist)\//.test(specifier);
      const owner = workspacePackages.find((one) => one.name === name && !one.isPlugin);
      return owner === undefined || !owner.exported.includes(subpathOf(specifier, owner));
    });
    expect(wrong.map(shown)).toEqual([]);
  });
});

describe('imports between the folders of a package', () => {
  it.each(byPackage)('of $owner.path have one direction: no two folders import each other', ({ owner, imports }) => {
    const pairs = mutualImports(imports, `${owner.path}/src`);
    expect(pairs).toEqual([]);
  });

  it('are refused where both directions exist, unless one folder contains the other', () => {
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
    ];
    expect(mutualImports(imports, 'p/src')).toEqual(['(src) <-> c', 'a <-> b']);
  });
});

describe('components', () => {
  const componentFiles = byPackage
    .filter(({ owner }) => owner.name === 'components' || DIALECTS.includes(owner.name) || owner.isPlugin)
    .flatMap(({ imports }) => imports)
    .filter(({ file }) => !isForTests(file));

  it('load no heavy library before they start', () => {
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
  it('finds the libraries of the dialects in it: they are dependencies of the components too, in the same version', () => {
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

/** The imports of a file, by the form in which Biome leaves them: statements begin a line, quotes are single. */
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

/**
 * Pairs of folders that import each other, without tests; imports of types count. Subfolders count separately, so
 * `database/mysql` and `database/postgres` must not import each other. A folder and its own subfolder may: the folder
 * combines its parts, and the parts use what the folder shares.
 */
function mutualImports(imports: readonly Import[], source: string): string[] {
  const edges = new Set(
    imports
      .filter(({ file, specifier }) => specifier.startsWith('.') && !isForTests(file))
      .map(({ file, specifier }) => {
        const target = normalize(join(dirname(file), specifier));
        return `${folderOf(file, source)} > ${folderOf(target, source)}`;
      }),
  );
  return [...edges]
    .map((edge) => edge.split(' > ') as [string, string])
    .filter(([from, to]) => from < to && !to.startsWith(`${from}/`) && edges.has(`${to} > ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`)
    .sort();
}

/** The folder of a file below `src`: `config`, `database/mysql`. */
function folderOf(file: string, source: string): string {
  const folder = dirname(file).slice(source.length + 1);
  return folder === '' ? ROOT : folder;
}

/** The package of ours that a specifier names. */
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
