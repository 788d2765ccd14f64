import { describe, expect, it } from 'vitest';
import { readText } from './repository.ts';

interface Pinned {
  readonly name: string;
  readonly version: string;
  /** The private parts that we use, and what to check by hand after an upgrade. */
  readonly uses: string;
}

/** Libraries whose private parts we use. A new version may change these without notice. */
const PINNED: readonly Pinned[] = [
  {
    name: 'pg',
    version: '8.23.1',
    uses:
      'postgres-connection.ts replaces attachListeners of the Connection and calls methods that its types do not have; ' +
      'describe.ts depends on the order of handleRowDescription and handleReadyForQuery. Run the tests of database/postgres.',
  },
  {
    name: 'jsonata',
    version: '2.2.2',
    uses:
      'packages/jsonata/src/compile.ts compiles the syntax tree that the parser returns: compare the node types and their keys ' +
      'with KNOWN in that file, then run jsonata.test.ts and the golden cases of ApplyJSONata.',
  },
];

describe.each(PINNED)('the library $name, whose private parts we use', ({ name, version, uses }) => {
  const { dependencies } = JSON.parse(readText('packages/components/package.json')) as {
    dependencies: Record<string, string>;
  };
  const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, { version?: string }> };

  it('is pinned to one exact version', () => {
    expect(dependencies[name]).toBe(version);
  });

  it('is installed in the version that was checked by hand', () => {
    const installed = Object.entries(packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, found]) => found.version);
    expect(installed, `Before you change the version here: ${uses}`).toEqual([version]);
  });
});
