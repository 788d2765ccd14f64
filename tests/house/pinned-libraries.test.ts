import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

interface Pinned {
  readonly name: string;
  readonly version: string;
  /** The folder of the package that depends on the library. Defaults to packages/components. */
  readonly owner?: string;
  /** The private parts that Headrace uses, and what to check by hand after an upgrade. */
  readonly uses: string;
}

/** Libraries whose private parts Headrace uses. A new version may change these without notice. */
const PINNED: readonly Pinned[] = [
  {
    name: 'pg',
    version: '8.23.1',
    uses:
      'postgres-connection.ts replaces attachListeners of the Connection and calls methods that its types do not have; ' +
      'describe.ts depends on the order of handleRowDescription and handleReadyForQuery. Run the tests of database/postgres.',
  },
  {
    name: 'mysql2',
    version: '3.24.6',
    uses:
      'mysql-connection.ts sets the time-out on the socket of the connection, `stream`, which its types do not have. Run the ' +
      'tests of database/mysql.',
  },
  {
    name: 'jsonata',
    version: '2.2.2',
    uses:
      'packages/jsonata/src/compile.ts compiles the syntax tree that the parser returns: compare the node types and their keys ' +
      'with KNOWN in that file, then run jsonata.test.ts and the golden cases of ApplyJSONata.',
  },
  {
    name: '@platformatic/kafka',
    version: '2.12.1',
    uses:
      'scripts/lib/kafka-client.mjs replaces libraries that it imports, and group-member.ts uses kGetConnection and kGetApi. ' +
      'Compare its imports with the replacements, then run the tests of kafka and of packages/distributed after a build.',
  },
  {
    name: 'unpdf',
    version: '1.8.1',
    owner: 'plugins/text-extraction',
    uses:
      'pdf-library.ts replaces the method getPageDict of pdf.js in the source that the package contains. Run ' +
      'pdf-library.test.ts, which fails if the method has another name.',
  },
  {
    name: 'tesseract.js',
    version: '7.0.0',
    owner: 'plugins/ocr',
    uses:
      'built-in-recognizer.ts listens to the thread of the engine, `worker`, which its types do not have, and ' +
      'engine-thread-entry.ts loads the file of this thread. Run the tests of plugins/ocr.',
  },
  {
    name: '@e965/xlsx',
    version: '0.20.3',
    owner: 'plugins/text-extraction',
    uses:
      'spreadsheet.ts and ole.ts use CFB and parse_zip, which its types do not describe. Run the tests of ' +
      'plugins/text-extraction.',
  },
];

/** Matches an import of an internal file of a library: `library/lib/part.js`. Documented files are not internal. */
const INSIDE =
  /(?:from |import\(|require\(|createRequire\(import\.meta\.url\)\()'((?!\.|#|node:|@headrace\/)(?:@[^/']+\/)?[^/']+\/[^']*\.[cm]?js)'/g;
/** Files that are documented, or whose libraries are pinned. */
const ALLOWED = ['ajv/dist/2020.js', 'tesseract.js/src/worker-script/node/index.js'];

it('no source file imports an internal file of a library', () => {
  const wrong = repositoryFiles()
    .filter((path) => /^(packages|plugins|tests|bench|scripts)\/.*\.(ts|mjs)$/.test(path))
    .flatMap((path) => Array.from(readText(path).matchAll(INSIDE), ([, name = '']) => ({ path, name })))
    .filter(({ name }) => !ALLOWED.includes(name));
  expect(wrong).toEqual([]);
});

it('the test recognises an import of an internal file of a library', () => {
  const names = ['x/lib/a.js', '@y/z/dist/b.mjs', './c.js', '@y/z', 'node:fs', '@headrace/engine/a.js'];
  for (const start of ['import a from ', 'await import(', 'require(', 'createRequire(import.meta.url)(']) {
    const text = names.map((name) => `${start}'${name}'`).join('\n');
    expect(Array.from(text.matchAll(INSIDE), ([, name]) => name)).toEqual(['x/lib/a.js', '@y/z/dist/b.mjs']);
  }
});

describe.each(PINNED)(
  'the library $name, whose private parts Headrace uses',
  ({ name, version, owner = 'packages/components', uses }) => {
    const { dependencies, devDependencies = {} } = JSON.parse(readText(`${owner}/package.json`)) as {
      dependencies: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { version?: string }>;
    };

    it('is pinned to one exact version', () => {
      expect(dependencies[name] ?? devDependencies[name]).toBe(version);
    });

    it('is installed in the version that was checked by hand', () => {
      // Other libraries may contain another version.
      const installed = [`node_modules/${name}`, `${owner}/node_modules/${name}`].flatMap(
        (path) => packages[path]?.version ?? [],
      );
      expect(installed, `Before you change the version here: ${uses}`).toEqual([version]);
    });
  },
);
