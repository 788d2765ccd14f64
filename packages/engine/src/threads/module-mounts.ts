import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { Mount } from './confinement.ts';

/** The folders of the libraries of the system, which native modules need. */
const SYSTEM_LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib'] as const;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const known = new Map<string, readonly Mount[]>();

/**
 * Returns what a process in a boundary must see to load a module: its package, all packages that it depends on, and the
 * libraries of the system.
 * @param modules URLs of modules
 */
export function moduleMounts(...modules: readonly string[]): readonly Mount[] {
  const key = modules.join('\n');
  let mounts = known.get(key);
  if (mounts === undefined) {
    mounts = findMounts(modules);
    known.set(key, mounts);
  }
  return mounts;
}

/** Returns a program and the libraries of the system as mounts. */
export function programMounts(path: string): readonly Mount[] {
  const program: Mount = { source: realpathSync(path), target: path, kind: 'file' };
  const mounts = systemLibraries();
  return mounts.some(({ target }) => path.startsWith(target + sep)) ? mounts : [...mounts, program];
}

function systemLibraries(): Mount[] {
  return SYSTEM_LIBRARIES.filter((path) => existsSync(path)).map((path) => ({
    source: realpathSync(path),
    target: path,
    kind: 'directory',
  }));
}

function findMounts(modules: readonly string[]): Mount[] {
  const folders = new Set<string>();
  const links = new Map<string, string>();
  for (const module of modules) {
    const manifest = findPackageJSON('.', module);
    if (manifest === undefined) throw new Error(`${module} is in no package`);
    addPackage(realpathSync(dirname(manifest)), folders, links);
  }
  const sorted = [...folders].sort();
  // A package inside another one is already visible.
  const outer = sorted.filter((folder, i) => !sorted.slice(0, i).some((other) => folder.startsWith(other + sep)));
  const isVisible = (path: string) => outer.some((folder) => path.startsWith(folder + sep));
  return [
    ...systemLibraries(),
    ...outer.map((folder): Mount => ({ source: folder, target: folder, kind: 'directory' })),
    ...[...links]
      .filter(([path]) => !isVisible(path))
      .map(([path, target]): Mount => ({ source: target, target: path, kind: 'link' })),
  ];
}

/** Adds a package and all packages that it depends on, as far as they are installed. */
function addPackage(folder: string, folders: Set<string>, links: Map<string, string>): void {
  if (folders.has(folder)) return;
  folders.add(folder);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const found = findPackage(name, folder);
    if (found === undefined) continue;
    const real = realpathSync(found);
    if (lstatSync(found).isSymbolicLink()) links.set(found, real);
    addPackage(real, folders, links);
  }
}

/** Returns the folder of a package, as a module of the other package would find it. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}
