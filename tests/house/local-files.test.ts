import { expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

/** Files outside `local-files/` that may access files, local databases or processes, and why. */
const OUTSIDE_LOCAL_FILES: Readonly<Record<string, string>> = {
  'packages/engine/src/component/catalog-file.ts': 'reads the catalog of a package',
  'packages/engine/src/conditions/conditions.ts': 'opens paths that allowedPath returned',
  'packages/engine/src/policy/file-rules.ts': 'resolves links for the policy itself',
  'packages/engine/src/threads/helper-memory.ts': 'reads the memory of child processes from the kernel',
  'packages/engine/src/threads/keep-program.ts': 'starts ffmpeg, tesseract and scripts, which the policy controls',
  'packages/engine/src/threads/process-keeper-entry.ts': 'starts a module of a package, which no config names',
  'packages/engine/src/threads/module-mounts.ts': 'finds the packages that such a module needs',
  'packages/engine/src/run/destinations.ts': 'keeps journals in a folder of the process, which no config names',
  'packages/engine/src/run/dry-run.ts': 'writes the file of --dry-run, which only the command line has',
  'packages/components/src/catalog.ts': 'finds the catalogs of installed plugins, which no config names',
  'packages/components/src/storage/local-storage.ts': 'calls lstat for up to a million paths that allowedPath returned',
  'packages/components/src/reindexing/change-journal.ts':
    'opens the journal whose path the process chose, not a config',
  'packages/formats/src/archives/local-copy.ts': 'creates a new file and removes its name',
  'packages/components/src/scripts/python-environment.ts': 'runs scripts of ExternalPython, which the policy controls',
  'packages/sandbox/src/python/pyodide-process.ts': 'reads the files of a package',
  'packages/sandbox/src/python/bounded-python.ts': 'finds the installed Python, which no config sets',
  'packages/sandbox/src/boundary/boundary-command.ts': 'finds Node and its libraries',
  'packages/sandbox/src/boundary/find-boundary.ts': 'starts the tools that create a boundary, in the service',
  'packages/sandbox/src/boundary/launcher.ts': 'runs while the boundary is created',
  'packages/sandbox/src/boundary/probe.ts': 'runs inside a boundary, to check that it blocks access',
  'packages/sandbox/src/process/processor-time.ts': 'reads the processor time of a child process from the kernel',
  'packages/local-models/src/onnx-runtime.ts': 'finds the libraries of a package, which no config names',
  'plugins/parquet/src/writing/sync-name.ts': 'opens the folder of a path that allowedPath returned',
  'plugins/text-extraction/src/parsing/cached-parse.ts': 'reads the version of its package',
  'plugins/text-extraction/src/formats/pdf-library.ts': 'reads the version of a package, which no config names',
  'plugins/ocr/src/recognition/built-in-recognizer.ts': 'copies the data of languages to a new folder',
  'plugins/ocr/src/recognition/program-recognizer.ts': 'writes images for the program to a new folder',
  'plugins/vector-stores/src/lancedb/lance-process.ts': 'creates the folder that allowedPath returned',
  'plugins/video/src/frames/find-program.ts': 'finds ffmpeg, which no uploaded config sets',
  'plugins/ocr/src/recognition/pdfium.ts': 'reads the program of a package, which no config names',
};

/** Functions of `node:fs` that open no path. They work on open files. */
const HARMLESS = new Set([
  'constants',
  'closeSync',
  'fstatSync',
  'readSync',
  'write',
  'writeSync',
  'FileHandle',
  'Dir',
  'Stats',
]);
/** The only file that passes an open file to `writeFileSync`. */
const OPEN_FILES = /^packages\/components\/src\/stages\/print\.ts$/;

const sources = repositoryFiles().filter(
  (path) =>
    /^(packages\/(components|engine|formats|local-models|sandbox)|plugins\/[^/]+)\/src\/.*\.ts$/.test(path) &&
    !isForTests(path) &&
    !/\/local-files\/|\.lib\.ts$/.test(path),
);

it('the engine and components open files, local databases and processes only through the policy', () => {
  const wrong = sources.flatMap((path) =>
    OUTSIDE_LOCAL_FILES[path] === undefined ? opensIn(path).map((name) => `${path}: ${name}`) : [],
  );
  expect(wrong, 'use a function of local-files/, or add a reason to OUTSIDE_LOCAL_FILES in this test').toEqual([]);
});

it('OUTSIDE_LOCAL_FILES lists only files that need a reason', () => {
  expect(
    Object.keys(OUTSIDE_LOCAL_FILES).filter((path) => !sources.includes(path) || opensIn(path).length === 0),
  ).toEqual([]);
});

/** Returns the functions imported from Node that open a file, database or process by name. */
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

/** The only files that start programs, and why. All other code uses `ChildProgram` or `HelperProcess`. */
const STARTERS: Readonly<Record<string, string>> = {
  'packages/engine/src/threads/keep-program.ts': 'starts programs with the launcher',
  'packages/engine/src/threads/process-keeper-entry.ts': 'starts helper processes with the launcher',
  'packages/sandbox/src/boundary/find-boundary.ts': 'tries the tools of the launcher itself',
  'packages/sandbox/src/python/bounded-python.ts': 'asks Python where it is installed, with a time limit',
};

it('programs are started with the launcher, so that they end with the service', () => {
  const starters = sources.filter((path) => readText(path).includes("from 'node:child_process'"));
  const others = starters.filter((path) => STARTERS[path] === undefined);
  expect(others, 'use ChildProgram or HelperProcess of the engine').toEqual([]);
});
