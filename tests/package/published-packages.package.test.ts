import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedPackage, Project, packages, packPackages, plugins, repository } from './packed-packages.ts';

const MINUTES = 60_000;
/** `headrace`, which package.package.test.ts installs, and a library of plugins, which needs it. */
const APART = ['headrace', '@headrace/local-models'];

let directory: string;
let packed: PackedPackage[];

describe('the published packages', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'headrace-packages-'));
    packed = await packPackages(directory, [...packages, ...plugins]);
  }, 10 * MINUTES);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('each contain a README, the licence, and the code and types of all exports', () => {
    for (const { manifest, files } of packed) {
      const exported = Object.values(manifest.exports).flatMap((entry) => [
        entry,
        ...(entry.browser ? [entry.browser] : []),
      ]);
      const needed = [
        'README.md',
        'LICENSE',
        ...exported.flatMap(({ types, default: code }) => [types, code].map((path) => path.replace('./', ''))),
      ];
      expect(files, manifest.name).toEqual(expect.arrayContaining(needed));
    }
  });

  it('have the licence of the repository', () => {
    const licence = readFileSync(join(repository, 'LICENSE'), 'utf8');
    for (const folder of [...packages, ...plugins]) {
      expect(readFileSync(join(repository, folder, 'LICENSE'), 'utf8'), folder).toBe(licence);
    }
  });

  it('name a licence and the required Node version', () => {
    for (const { manifest } of packed) {
      expect(manifest, manifest.name).toMatchObject({
        license: 'Apache-2.0',
        engines: { node: expect.stringMatching(/^>=\d+$/) },
      });
      expect(manifest, manifest.name).not.toHaveProperty('private');
    }
  });

  it('contain the catalog of their components if they are plugins, and no files of tests', () => {
    const ofPlugins = packed.slice(packages.length);
    expect(ofPlugins.length).toBeGreaterThan(3);
    for (const { manifest, files } of ofPlugins) {
      expect(files, manifest.name).toContain('dist/catalog.jsonl');
      expect(files.filter((path) => /\.test\.|\/testing\//.test(path))).toEqual([]);
    }
  });

  it('load outside the repository with only the libraries that they name, and compile their TypeScript examples', {
    timeout: 10 * MINUTES,
  }, async () => {
    const project = new Project(join(directory, 'project'));
    const others = packed.slice(0, packages.length).filter(({ manifest }) => !APART.includes(manifest.name));
    await project.link(others, '@types/node');
    const entries = others.flatMap(({ manifest: { name, exports } }) =>
      Object.keys(exports).map((entry) => `${name}${entry.slice(1)}`),
    );
    const load = `for (const entry of ${JSON.stringify(entries)}) await import(entry);`;
    await project.run(process.execPath, ['--input-type=module', '--eval', load]);
    const readmes = others.map(({ manifest }) => `packages/${manifest.name.replace('@headrace/', '')}/README.md`);
    expect(await project.compileExamples(...readmes)).toBeGreaterThan(4);
  });
});
