// Bundles what tsc has compiled, one file where there were dozens: a run starts several threads, each of which would
// load them all, and a module costs about half a millisecond to find. Types stay in dist, code goes to bundle.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './lib/root.mjs';

await bundle('hocon', { index: 'index.js' });
await bundle('engine', {
  index: 'index.js',
  testing: 'testing/index.js',
  'run-threads': 'run/run-threads.js',
  'run-thread': 'run/run-thread.js',
  'pipeline-thread': 'run/pipeline-thread.js',
  ...namesThemselves('engine'),
});
await bundle('components', {
  index: 'index.js',
  ...componentsOf('connectors'),
  ...componentsOf('stages'),
  ...componentsOf('indexers'),
  ...namesThemselves('components'),
});

/** @param entries the modules that are loaded by their own names: exports, threads, what `import()` finds by URL */
async function bundle(name, entries) {
  const dist = join(root, 'packages', name, 'dist');
  const target = join(root, 'packages', name, 'bundle');
  const files = Object.fromEntries(Object.entries(entries).map(([entry, file]) => [entry, join(dist, file)]));
  const isEntry = new Set(Object.values(files));
  const bundled = await rolldown({
    input: files,
    platform: 'node',
    // Everything that has a name of its own stays outside; #typebox is a file of ours.
    external: (id) => /^[a-z@]/i.test(id),
    preserveEntrySignatures: 'allow-extension',
  });
  const fresh = join(dist, 'bundle');
  rmSync(fresh, { recursive: true, force: true });
  await bundled.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: '[name].js',
    // Beside the entries: `new URL('./run-thread.js', import.meta.url)` has to be true wherever it ends up.
    chunkFileNames: '[name].js',
    codeSplitting: {
      // Or the modules that give their own URL would go where their users are.
      includeDependenciesRecursively: false,
      groups: [
        // What several components share, a file for each room; what is loaded when it is needed stays by itself.
        {
          test: (id) => !isEntry.has(id),
          debugName: 'rooms',
          name: (id, graph) =>
            name === 'components' && !isLoadedLater(graph.getModuleInfo(id)) ? `shared/${roomOf(dist, id)}` : null,
        },
      ],
    },
  });
  // The catalog is written from the bundle: until then the old one serves, with its time, which tells that it is old.
  const catalog = join(target, 'catalog.json');
  if (existsSync(catalog)) cpSync(catalog, join(fresh, 'catalog.json'), { preserveTimestamps: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

function isLoadedLater({ dynamicImporters, importers }) {
  return dynamicImporters.length > 0 && importers.length === 0;
}

function roomOf(dist, id) {
  return relative(dist, dirname(id)).replaceAll('/', '-') || 'root';
}

function componentsOf(kind) {
  const files = readdirSync(join(root, 'packages/components/src', kind)).filter(
    (file) => file.endsWith('.ts') && !file.includes('.test.'),
  );
  return Object.fromEntries(
    files.map((file) => [`${kind}/${basename(file, '.ts')}`, `${kind}/${basename(file, '.ts')}.js`]),
  );
}

/** Modules that give their own URL to other threads: it must be where their exports are. */
function namesThemselves(name) {
  const src = join(root, 'packages', name, 'src');
  const files = readdirSync(src, { recursive: true }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.includes('.test.') &&
      readFileSync(join(src, file), 'utf8').includes('url: import.meta.url'),
  );
  return Object.fromEntries(files.map((file) => [basename(file, '.ts'), file.replace(/\.ts$/, '.js')]));
}
