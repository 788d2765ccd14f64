// Runs before `npm pack` in packages/headrace, and completes the package. The other packages of the repository are not
// on a registry, so they become bundled dependencies in the tarball. Their own dependencies become dependencies of
// headrace.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { bundled, directoryOf, keepManifest, manifest, readManifest, restore } from './folder.mjs';

restore();
const { scripts, ...headrace } = readManifest(directoryOf('headrace'));
const dependencies = {};
const optionalDependencies = {};
const peerDependencies = {};
const peerDependenciesMeta = {};
const ours = new Set();
collect('headrace', headrace);

for (const name of ours) copy(name);
keepManifest();
const whole = {
  ...headrace,
  dependencies: { ...sorted(dependencies) },
  optionalDependencies: sorted(optionalDependencies),
  peerDependencies: sorted(peerDependencies),
  peerDependenciesMeta: sorted(peerDependenciesMeta),
  bundleDependencies: [...ours],
};
for (const name of ours) whole.dependencies[name] = readManifest(directoryOf(name)).version;
writeFileSync(manifest, `${JSON.stringify(whole, null, 2)}\n`);

function collect(name, wanted) {
  Object.assign(optionalDependencies, wanted.optionalDependencies);
  Object.assign(peerDependencies, wanted.peerDependencies);
  Object.assign(peerDependenciesMeta, wanted.peerDependenciesMeta);
  for (const [dependency, range] of Object.entries(wanted.dependencies ?? {})) {
    if (dependency.startsWith('@headrace/')) {
      if (ours.has(dependency)) continue;
      ours.add(dependency);
      collect(dependency, readManifest(directoryOf(dependency)));
    } else if (dependencies[dependency] !== undefined && dependencies[dependency] !== range) {
      throw new Error(
        `${name} needs ${dependency} ${range}, but another package needs ${dependencies[dependency]}. Use one range.`,
      );
    } else dependencies[dependency] = range;
  }
}

function copy(name) {
  const from = directoryOf(name);
  const to = new URL(`${name.replace('@headrace/', '')}/`, bundled);
  if (!existsSync(new URL('dist/', from))) throw new Error(`${name} is not built: npm run build`);
  mkdirSync(to, { recursive: true });
  // npm itself omits files that are not in `files` of the package.
  for (const part of ['package.json', 'dist', 'bundle']) {
    const source = new URL(part, from);
    if (existsSync(source)) cpSync(source, new URL(part, to), { recursive: true });
  }
}

function sorted(map) {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
