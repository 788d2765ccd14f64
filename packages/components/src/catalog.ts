import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pluginPackages } from '@headrace/engine/reading';

/** The URL of the catalog of the built-in components, which the build writes. */
export const catalogUrl: string = new URL('./catalog.jsonl', import.meta.url).href;

/** The catalog in the package of a plugin, which the build writes. */
const PLUGIN_CATALOG = 'dist/catalog.jsonl';

/** Returns the URLs of the catalogs of the built-in components and of the plugins that are installed beside Headrace. */
export function installedCatalogs(): string[] {
  return [catalogUrl, ...pluginPackages.flatMap((name) => catalogOf(name) ?? [])];
}

function catalogOf(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name, PLUGIN_CATALOG)).find((file) => existsSync(file));
  return found === undefined ? undefined : pathToFileURL(found).href;
}
