import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built web application: `packages/web` is built into this folder of the package. */
export const WEB_DIRECTORY = fileURLToPath(new URL('../../web/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A file of the web application. */
export interface WebFile {
  readonly path: string;
  readonly type: string;
  /** The compressed form, if the build wrote one. */
  readonly gzipPath: string | undefined;
}

/**
 * Returns the files below `assets`, by name. Requests select a file from this list, so that no name in a request
 * becomes a path.
 */
export function webAssets(directory = WEB_DIRECTORY): ReadonlyMap<string, WebFile> {
  const assets = join(directory, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  const known = new Set(names);
  const files = new Map<string, WebFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const gzipPath = known.has(`${name}.gz`) ? join(assets, `${name}.gz`) : undefined;
    files.set(name, { path: join(assets, name), type, gzipPath });
  }
  return files;
}
