// Bundles the compiled modules into a few files instead of hundreds. A run starts several threads, each thread loads
// them all, and Node needs about half a millisecond to find a module. Types stay in dist, code goes to bundle.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { Dialects, entriesOf, hasName, noDialects } from './lib/dialects.mjs';
import { isOfKafkaClient, kafkaClient, kafkaLicenses } from './lib/kafka-client.mjs';
import { ModuleGraph } from './lib/module-graph.mjs';
import { nodeModules } from './lib/node-modules.mjs';
import { root } from './lib/root.mjs';

/**
 * Libraries whose code goes into the bundle of a package. gpt-tokenizer has 30 MB, of which the components use one
 * encoding of 1 MB. Commander has six modules, which every command line loads.
 */
const INLINED = { components: 'gpt-tokenizer', headrace: 'commander' };

await bundle('hocon', { index: 'index.js' });
await bundleForBrowsers('hocon');

const dialects = Dialects.of('components');
for (const name of dialects.names) await bundle(name, entriesOf(name));

const engine = distOf('engine');
const inEngineBundle = Dialects.of('engine');
const named = namesThemselves('engine');
const inEngine = await ModuleGraph.of(
  [
    join(engine, 'run/run-thread-entry.js'),
    join(engine, 'run/run-launcher.js'),
    join(engine, 'reading.js'),
    join(engine, 'threads/process-keeper-entry.js'),
    ...Object.values(named).map((file) => join(engine, file)),
  ],
  inEngineBundle,
);
// Modules that the run thread needs to start the pipeline threads.
const first = inEngine.closure(join(engine, 'run/run-thread-entry.js'));
// Modules that the process of `headrace run` needs to start it, and those that it needs to read the config.
const start = inEngine.closure(join(engine, 'run/run-launcher.js'));
const reading = inEngine.closure(join(engine, 'reading.js'));
// Modules that start processes. No thread of a run loads them.
const keeper = inEngine.closure(join(engine, 'threads/process-keeper-entry.js'));
const forTests = join(engine, 'testing');
const underNamed = new Set(Object.values(named).flatMap((file) => [...inEngine.closure(join(engine, file))]));
await bundle(
  'engine',
  {
    index: 'index.js',
    reading: 'reading.js',
    'plain-text': 'errors/plain-text.js',
    counters: 'counters/counters.js',
    'notice-text': 'notices/notice-text.js',
    testing: 'testing/index.js',
    'run-launcher': 'run/run-launcher.js',
    'run-thread-entry': 'run/run-thread-entry.js',
    'pipeline-thread-entry': 'run/pipeline-thread-entry.js',
    'process-keeper-entry': 'threads/process-keeper-entry.js',
    'helper-process-entry': 'threads/helper-process-entry.js',
    ...named,
  },
  // The modules that start the threads are loaded first. If a module refers to itself by its URL, its dependencies must
  // be evaluated before it.
  (id) => {
    if (first.has(id)) return 'first';
    if (start.has(id)) return 'start';
    if (reading.has(id)) return 'read';
    if (underNamed.has(id)) return 'base';
    return id.startsWith(forTests) || keeper.has(id) ? null : 'core';
  },
  { inside: inEngineBundle },
);

/** The source folders with the code that most stages need. Their modules go into one file of the bundle. */
const FIELD_FOLDERS = [
  'stages',
  'fields',
  'random',
  'java-text/regex',
  'java-text/text',
  'text-analysis/keywords',
  'text-analysis/letters',
];

/**
 * Folders whose modules are always needed together with another folder. They go into its file, to load one file less.
 */
const TOGETHER = {
  charsets: 'formats',
  'formats/encoding': 'formats',
  'local-files': 'formats',
  publishing: 'formats',
  'java-text/sql': 'database',
  'records/csv': 'formats/csv',
  'records/json': 'formats/json',
  'records/postgres': 'database/postgres',
  'records/split': 'formats',
  'records/xml': 'formats/xml',
  'sandbox/problems': 'sandbox/boundary',
};

/** The folders with code that sends documents to servers, and with code that encodes them in pipeline threads. */
const SENDING_FOLDERS = ['delivery', 'search-engine', 'solr'];

const components = distOf('components');
const { light, underLight } = await fieldStages();
const underEncoders = await neededByEncoders();
// One file for the field stages, because a pipeline has about ten of them. Nine of them take 9 ms of a thread as
// separate modules, and all of them take 4 ms as one file.
writeFileSync(join(components, 'field-stages.js'), light.map((file) => `export * from './stages/${file}';\n`).join(''));
await bundle(
  'components',
  {
    index: 'index.js',
    kafka: 'kafka/index.js',
    storage: 'storage/index.js',
    delivery: 'delivery/index.js',
    handlers: 'formats/handlers/index.js',
    http: 'http/index.js',
    charsets: 'charsets.js',
    catalog: 'catalog.js',
    'field-stages': 'field-stages.js',
    ...componentsOf('connectors'),
    ...componentsOf('stages', light),
    ...componentsOf('indexers'),
    ...namesThemselves('components'),
  },
  // The shared code of several components, in one file per folder. It includes the code of the dialect packages,
  // because each thread would need longer to find packages by name.
  (id) => {
    if (underLight.has(id)) return 'shared/field-stages';
    return underEncoders.has(id) ? 'shared/encoding-for-servers' : sharedFile(id);
  },
  { inside: dialects },
);

writeFileSync(
  join(root, 'packages/components/bundle/kafka-client.LICENSE'),
  kafkaLicenses(join(components, 'index.js')),
);

// The process of `headrace run` loads the modules that start the threads first, then those for the command line, then
// those for the run. All other commands have separate files.
const ofRun = ['main', 'commands/run-launcher', 'cli/command-line', 'commands/run'];
const runFiles = ofRun.map((file) => join(distOf('headrace'), `${file}.js`));
const inHeadrace = await ModuleGraph.of(runFiles, noDialects, isOutside('headrace', noDialects));
const closures = runFiles.map((file) => inHeadrace.closure(file));
await bundle(
  'headrace',
  { ...entriesOf('headrace'), main: 'main.js' },
  // In a folder, because `--version` reads package.json two folders above.
  (id) => ['cli/process', 'cli/threads', 'cli/command-line', 'cli/run'][closures.findIndex((needs) => needs.has(id))],
  { together: new Set(closures.flatMap((needs) => [...needs])) },
);

/**
 * @param entries the modules that keep their names: exports, threads, and modules that `import()` finds by URL
 * @param fileOf returns the file of any other module. Modules that are loaded on demand stay separate.
 * @param inside the packages whose code goes into the bundle
 * @param together modules that have a file in `fileOf`, although they are imported on demand or belong to a library
 */
async function bundle(name, entries, fileOf, { inside = noDialects, together = new Set() } = {}) {
  const dist = distOf(name);
  const target = join(root, 'packages', name, 'bundle');
  const files = Object.fromEntries(Object.entries(entries).map(([entry, file]) => [entry, join(dist, file)]));
  const isEntry = new Set(Object.values(files));
  const isKeptApart = (id, info) => !together.has(id) && (id.includes('node_modules') || isLoadedLater(info));
  const bundled = await rolldown({
    input: files,
    platform: 'node',
    external: isOutside(name, inside),
    plugins: [inside.plugin, kafkaClient, nodeModules],
    preserveEntrySignatures: 'allow-extension',
  });
  const fresh = join(dist, 'bundle');
  rmSync(fresh, { recursive: true, force: true });
  await bundled.write({
    dir: fresh,
    format: 'esm',
    entryFileNames: '[name].js',
    // In the folder of the entries, so that `new URL('./run-thread-entry.js', import.meta.url)` is valid in every file.
    chunkFileNames: '[name].js',
    // Removes white space, so that the file is smaller. Keeps names, because stack traces show them.
    minify: { compress: false, mangle: false },
    minifyInternalExports: false,
    codeSplitting: {
      // Otherwise the modules that use their own URL would move to the files of their users.
      includeDependenciesRecursively: false,
      groups: [
        {
          test: (id) => !isEntry.has(id),
          debugName: 'folders',
          name: (id, graph) => (fileOf === undefined || isKeptApart(id, graph.getModuleInfo(id)) ? null : fileOf(id)),
        },
      ],
    },
  });
  for (const file of readdirSync(fresh, { recursive: true })) {
    if (file.endsWith('.js')) escapeWideCharacters(join(fresh, file));
  }
  // The catalog is written from the bundle. Until then the old catalog is used. Its old time shows that it is out of
  // date.
  const catalog = join(target, 'catalog.jsonl');
  if (existsSync(catalog)) cpSync(catalog, join(fresh, 'catalog.jsonl'), { preserveTimestamps: true });
  const inlined = INLINED[name];
  if (inlined !== undefined)
    cpSync(
      join(dirname(findPackageJSON(inlined, join(dist, 'index.js'))), 'LICENSE'),
      join(fresh, `${inlined}.LICENSE`),
    );
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/**
 * Escapes the characters that are not in Latin-1. Each thread keeps the text of its modules in memory, and V8 needs two
 * bytes for each character of a text if one of them is not in Latin-1. No `String.raw` contains such a character.
 */
function escapeWideCharacters(file) {
  const code = readFileSync(file, 'utf8');
  if (/\\[^\0-\xff]/.test(code)) throw new Error(`${file}: a backslash is before a character that must be escaped`);
  const escaped = code.replace(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped.length < 2 * code.length) writeFileSync(file, escaped);
}

/**
 * Adds the file that browsers load. It shares no file with the bundle for Node, because each process of Node would need
 * longer to load two files.
 */
async function bundleForBrowsers(name) {
  const bundled = await rolldown({ input: join(distOf(name), 'browser.js'), platform: 'browser' });
  const file = join(root, 'packages', name, 'bundle/browser.js');
  await bundled.write({ file, format: 'esm', minify: { compress: false, mangle: false } });
}

/** Returns a function that returns whether a module stays outside the bundle of a package. */
function isOutside(name, inside) {
  return (id) =>
    inside.isLibrary(id) && id.split('/', 1)[0] !== INLINED[name] && !(name === 'components' && isOfKafkaClient(id));
}

function distOf(name) {
  return join(root, 'packages', name, 'dist');
}

function isLoadedLater({ dynamicImporters, importers }) {
  return dynamicImporters.length > 0 && importers.length === 0;
}

/** Returns the files of a kind of components, except those in `without`. */
function filesOf(kind, without = []) {
  return readdirSync(join(root, 'packages/components/src', kind))
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
    .map((file) => `${basename(file, '.ts')}.js`)
    .filter((file) => !without.includes(file));
}

function componentsOf(kind, without = []) {
  return Object.fromEntries(
    filesOf(kind, without).map((file) => [`${kind}/${basename(file, '.js')}`, `${kind}/${file}`]),
  );
}

/**
 * Returns the files of the stages that need only the common folders, and all files that these stages need. These stages
 * load fast.
 */
async function fieldStages() {
  const files = filesOf('stages');
  const graph = await ModuleGraph.of(
    files.map((file) => join(components, 'stages', file)),
    dialects,
  );
  const needs = new Map(files.map((file) => [file, [...graph.closure(join(components, 'stages', file))]]));
  const light = files.filter((file) =>
    needs.get(file).every((id) => (hasName(id) ? id === '@headrace/engine' : FIELD_FOLDERS.includes(folderOf(id)))),
  );
  return { light, underLight: new Set(light.flatMap((file) => needs.get(file))) };
}

/**
 * Returns the modules of the sending folders that encoders need. In a separate file, they do not make the pipeline
 * threads load Node's HTTP, which takes 70 ms of each thread.
 */
async function neededByEncoders() {
  const encoders = Object.keys(namesThemselves('components')).filter((name) => name.endsWith('-encoder'));
  const files = encoders.map((name) => join(components, namesThemselves('components')[name]));
  const graph = await ModuleGraph.of(files, dialects);
  const needed = files.flatMap((file) => [...graph.closure(file)]);
  return new Set(needed.filter((id) => !hasName(id) && SENDING_FOLDERS.includes(folderOf(id))));
}

function sharedFile(id) {
  const folder = folderOf(id);
  return `shared/${(TOGETHER[folder] ?? folder).replaceAll('/', '-') || 'root'}`;
}

/** Returns the folder of a module in its package. For a dialect, the name of the package is before it. */
function folderOf(id) {
  const [name, , ...folders] = relative(join(root, 'packages'), dirname(id)).split(sep);
  return (name === 'components' ? folders : [name, ...folders]).join('/');
}

/** Returns the modules that pass their own URL to other threads. The URL must lead to the exports of the module. */
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
