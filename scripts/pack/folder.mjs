// The folder that is packed, and its temporary files.
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';

const packages = new URL('../../packages/', import.meta.url);
const folder = new URL('headrace/', packages);

export const manifest = new URL('package.json', folder);
export const bundled = new URL('node_modules/@headrace/', folder);
const original = new URL('package.json.unpacked', folder);

/** Returns the folder of a package: `@headrace/engine` is in `packages/engine/`. */
export function directoryOf(name) {
  return new URL(`${name.replace('@headrace/', '')}/`, packages);
}

export function readManifest(directory) {
  return JSON.parse(readFileSync(new URL('package.json', directory), 'utf8'));
}

export function keepManifest() {
  cpSync(manifest, original);
}

/** Restores the folder to its state before packing, also after an interrupted packing. */
export function restore() {
  if (existsSync(original)) renameSync(original, manifest);
  rmSync(bundled, { recursive: true, force: true });
}
