import { describe, expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const LOADER = 'packages/components/src/libraries/optional-library.ts';
const components = JSON.parse(readText('packages/components/package.json')) as Manifest;
const libraries = Object.keys(components.peerDependencies);

describe('optional libraries', () => {
  it('are optional peer dependencies for npm', () => {
    expect(components.peerDependenciesMeta).toEqual(
      Object.fromEntries(libraries.map((name) => [name, { optional: true }])),
    );
  });

  it('are installed in the repository and in the image in the versions that users get', () => {
    const repository = JSON.parse(readText('package.json')) as Manifest;
    expect(repository.dependencies).toEqual(components.peerDependencies);
  });

  it('are all in the table of the loader, with the version range of package.json', () => {
    const table = readText(LOADER).matchAll(/^ {2}'?([\w@/-]+)'?: \{[^}]*range: '([^']+)'/gm);
    expect(Object.fromEntries(Array.from(table, ([, name, range]) => [name, range]))).toEqual(
      components.peerDependencies,
    );
  });

  it('include Pyodide with the version of package.json', () => {
    const [, range] = /RANGE = '([^']+)'/.exec(readText('packages/components/src/scripts/pyodide-folder.ts')) ?? [];
    expect(range).toBe(components.optionalDependencies['pyodide']);
  });

  it('are imported only by the loader, and other files import only their types', () => {
    const found = repositoryFiles()
      .filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !isForTests(path))
      .filter((path) =>
        libraries.some((name) =>
          new RegExp(`(?<!typeof )import\\('${name}['/]|^(import|export) (?!type ).*from '${name}['/]`, 'm').test(
            readText(path),
          ),
        ),
      );
    expect(found).toEqual([LOADER]);
  });
});
