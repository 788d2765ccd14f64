import { expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

/** Files that access the disk, databases on it or processes without `local-files/`, and why they may. */
const OUTSIDE_LOCAL_FILES: Readonly<Record<string, string>> = {
  'packages/engine/src/component/catalog-file.ts': 'the catalogue of a package',
  'packages/engine/src/component/doc-comments.ts': 'the source of a module that is loaded, for its doc comments',
  'packages/engine/src/pipeline/conditions.ts': 'opens what allowedPath gave',
  'packages/engine/src/policy/file-rules.ts': 'looks where links lead: it is what the policy asks',
  'packages/engine/src/run/dry-run.ts': 'the file of --dry-run, of the command line alone',
  'packages/components/src/storage/local-storage.ts': 'lstat of paths that allowedPath gave, a million of them',
  'packages/components/src/storage/archives/local-copy.ts': 'a new file, without a name',
  'packages/components/src/scripts/python-environment.ts': 'scripts of ExternalPython, which the policy allows or not',
  'packages/sandbox/src/python/pyodide-process.ts': 'the files of a package',
  'packages/sandbox/src/python/bounded-python.ts': 'where the Python of this machine is, which the config does not say',
  'packages/sandbox/src/boundary/boundary-command.ts': 'where Node and its libraries are',
  'packages/sandbox/src/boundary/find-boundary.ts': 'the tools that make a boundary, started by the service',
  'packages/sandbox/src/boundary/launcher.ts': 'runs inside of a boundary that is being made',
  'packages/sandbox/src/boundary/probe.ts': 'runs inside of a boundary, and must not get out',
  'packages/sandbox/src/process/processor-time.ts': 'what the kernel says of a process of ours',
  'packages/sandbox/src/process/script-process.ts': 'the process of a script, which the policy allows or not',
};

/** Functions that open nothing: they take open files. */
const HARMLESS = new Set(['constants', 'closeSync', 'readSync', 'write', 'writeSync', 'FileHandle', 'Dir', 'Stats']);
/** `writeFileSync` takes an open file there. */
const OPEN_FILES = /^packages\/components\/src\/stages\/print\.ts$/;

const sources = repositoryFiles().filter(
  (path) =>
    /^(packages\/(components|engine|sandbox)|plugins\/[^/]+)\/src\/.*\.ts$/.test(path) &&
    !isForTests(path) &&
    !/\/local-files\/|\.lib\.ts$/.test(path),
);

it('the engine and components open files, local databases and processes only through the policy', () => {
  const wrong = sources.flatMap((path) =>
    OUTSIDE_LOCAL_FILES[path] === undefined ? opensIn(path).map((name) => `${path}: ${name}`) : [],
  );
  expect(wrong, 'take it from local-files/, or give the reason in this test').toEqual([]);
});

it('has no reason for a file that needs none', () => {
  expect(
    Object.keys(OUTSIDE_LOCAL_FILES).filter((path) => !sources.includes(path) || opensIn(path).length === 0),
  ).toEqual([]);
});

/** The functions of Node that a file imports and that open something by a name. */
function opensIn(path: string): string[] {
  const text = readText(path);
  const found: string[] = [];
  const modules = /^import\s+(type\s)?([^;]*?)\s*from 'node:(fs|fs\/promises|child_process|sqlite)'/gm;
  for (const [, typeOnly, names = '', module] of text.matchAll(modules)) {
    if (typeOnly !== undefined) continue;
    for (const name of names.replace(/[{}]/g, '').split(',')) {
      const plain = name.trim();
      if (plain === '' || plain.startsWith('type ') || HARMLESS.has(plain)) continue;
      if (plain === 'writeFileSync' && OPEN_FILES.test(path)) continue;
      found.push(`${plain} of node:${module}`);
    }
  }
  if (/\bimport\('node:(fs|sqlite|child_process)|getBuiltinModule\('node:(fs|sqlite|child_process)/.test(text)) {
    found.push('a module that is loaded later');
  }
  return found;
}
