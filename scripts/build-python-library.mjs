// Writes python-library/VERSION.zip: the standard library of Pyodide, compiled. Pyodide itself ships sources, and
// compiling what Python loads at its start takes three quarters of the start.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPyodide } from '../packages/sandbox/bundle/python.js';
import { root } from './lib/root.mjs';

/** Compiles each module with this Python. Python does not compare them with their sources. */
const COMPILE = `
import importlib._bootstrap_external as bootstrap, importlib.util, sys, zipfile
path = next(path for path in sys.path if path.endswith('.zip'))
with zipfile.ZipFile(path) as sources, zipfile.ZipFile('/compiled.zip', 'w', zipfile.ZIP_DEFLATED) as target:
    for info in sources.infolist():
        if not info.filename.endswith('.py'): continue
        source = sources.read(info)
        code = compile(source, path + '/' + info.filename, 'exec', dont_inherit=True)
        # A fixed time, so that the same version of Pyodide gives the same file.
        compiled = zipfile.ZipInfo(info.filename + 'c', (1980, 1, 1, 0, 0, 0))
        compiled.compress_type = zipfile.ZIP_DEFLATED
        target.writestr(compiled, bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(source), False))
`;

/** The packages that contain the code which starts Pyodide. */
const PACKAGES = ['sandbox', 'components'];

const folder = findPyodide();
if (folder === undefined) console.log('pyodide: not installed, so EmbeddedPython is not available');
else await build(folder);

async function build(pyodideFolder) {
  const { version } = JSON.parse(readFileSync(join(pyodideFolder, 'package.json'), 'utf8'));
  const targets = PACKAGES.map((name) => join(root, 'packages', name, 'python-library'));
  if (targets.every((target) => existsSync(join(target, `${version}.zip`)))) return;
  const { loadPyodide } = await import(pathToFileURL(join(pyodideFolder, 'pyodide.mjs')).href);
  const pyodide = await loadPyodide();
  pyodide.runPython(COMPILE);
  const library = pyodide.FS.readFile('/compiled.zip');
  for (const target of targets) {
    const fresh = `${target}.new`;
    for (const folder of [fresh, target]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(fresh);
    copyFileSync(join(root, 'scripts/lib/python.LICENSE'), join(fresh, 'LICENSE'));
    writeFileSync(join(fresh, `${version}.zip`), library);
    // A build that was interrupted leaves no incomplete library.
    renameSync(fresh, target);
  }
  console.log(`pyodide ${version}: standard library compiled`);
}
