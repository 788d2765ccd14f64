import { describe, expect, it } from 'vitest';
import { readText, repositoryFiles } from './repository.ts';

interface Pinned {
  readonly name: string;
  readonly version: string;
  /** The folder of the package that depends on the library. Defaults to packages/components. */
  readonly owner?: string;
}

/** Describes the private parts of each library that Headrace uses, and what to check after an upgrade. */
const GUIDE = 'docs/contributing/libraries.md';

/** Libraries whose private parts Headrace uses. A new version may change these without notice. */
const PINNED: readonly Pinned[] = [
  { name: 'pg', version: '8.23.1' },
  { name: 'mysql2', version: '3.24.6' },
  { name: 'jsonata', version: '2.2.2' },
  { name: 'xz-decompress', version: '0.2.3', owner: 'packages/formats' },
  { name: '@platformatic/kafka', version: '2.12.1' },
  { name: 'unpdf', version: '1.8.1', owner: 'plugins/text-extraction' },
  { name: 'tesseract.js', version: '7.0.0', owner: 'plugins/ocr' },
  { name: '@hyzyla/pdfium', version: '2.1.13', owner: 'plugins/ocr' },
  { name: '@e965/xlsx', version: '0.20.3', owner: 'plugins/text-extraction' },
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
  ({ name, version, owner = 'packages/components' }) => {
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
      const advice = `Before you change the version here, read the section ${name} of ${GUIDE}, and do what it says.`;
      expect(installed, advice).toEqual([version]);
    });
  },
);

it('each of these libraries has a section in the guide for upgrades, and no other library has one', () => {
  const sections = Array.from(readText(GUIDE).matchAll(/^## (.+)\n\n- \*\*What:/gm), ([, name]) => name);
  expect(sections.toSorted()).toEqual(PINNED.map(({ name }) => name).toSorted());
});
