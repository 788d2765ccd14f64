// Installs and builds, if needed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { env, mustRun, root } from './root.mjs';

/** Installs the packages of the lock file if they are missing, and builds if a source is newer than the build. */
export async function prepare() {
  await install();
  if (isBuilt()) console.log('setup: the build is up to date');
  else {
    console.log('setup: building');
    await mustRun('node', ['scripts/build.mjs']);
  }
}

/**
 * The install script of onnxruntime-node downloads libraries for graphics cards from another server, and fails without
 * it. Older npm, such as 10.9, ignores the field allowScripts of package.json, which forbids the script.
 */
const WITHOUT_DOWNLOADS = { ONNXRUNTIME_NODE_INSTALL: 'skip', ...env };

/** Installs the packages of the lock file if they are missing. */
export async function install() {
  if (isInstalled()) console.log('setup: dependencies are installed');
  else {
    console.log('setup: installing dependencies (npm ci)');
    await mustRun('npm', ['ci', '--loglevel=error', '--no-progress'], { env: WITHOUT_DOWNLOADS });
  }
}

/**
 * Returns whether package-lock.json is installed. Compares npm's list of installed packages, not the times of files.
 */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  const wanted = packagesOf('package-lock.json');
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link || !path.includes('node_modules/')) return true;
    const found = installed[path];
    return found === undefined ? entry.optional === true && !isForThisPlatform(entry) : found.version === entry.version;
  });
}

/** Returns whether a package of the lock file contains native code for this platform. */
function isForThisPlatform({ os, cpu, libc }) {
  if (!os?.includes(process.platform) || !cpu?.includes(process.arch)) return false;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return libc === undefined || libc.includes(isGlibc ? 'glibc' : 'musl');
}

function packagesOf(lockFile) {
  const path = join(root, lockFile);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/** The catalog of sources, which tests write. Not a source of the build: a build during tests removes what they run. */
const TEST_CATALOG = 'catalog.jsonl';

/** Returns whether the build is up to date. The catalog is the last file that a build writes. */
function isBuilt() {
  const catalog = join(root, 'packages/components/bundle/catalog.jsonl');
  if (!existsSync(catalog)) return false;
  const built = statSync(catalog).mtimeMs;
  const isOlder = (path) => statSync(path).mtimeMs <= built;
  const settings = [
    'tsconfig.base.json',
    'tsconfig.json',
    'packages/web/index.html',
    'packages/web/vite.config.ts',
    'scripts/lib/dialects.mjs',
    'scripts/lib/module-graph.mjs',
    ...['build', 'build-catalog', 'build-client', 'build-plugins', 'build-web', 'bundle', 'bundle-typebox'].map(
      (script) => `scripts/${script}.mjs`,
    ),
  ];
  if (!settings.every((file) => isOlder(join(root, file)))) return false;
  const plugins = readdirSync(join(root, 'plugins')).map((name) => join('plugins', name));
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name));
  return [...packages, ...plugins].every((path) => {
    const folder = join(root, path);
    // The docs read the Markdown files, not the build.
    const files = readdirSync(join(folder, 'src'), { recursive: true })
      .filter((name) => name !== TEST_CATALOG && !name.endsWith('.md'))
      .map((name) => join(folder, 'src', name));
    const output = path === join('packages', 'web') ? join(root, 'packages/service/web') : join(folder, 'dist');
    return existsSync(output) && [join(folder, 'package.json'), ...files].every(isOlder);
  });
}
