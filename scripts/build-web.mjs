// Builds the web application into the package of the service, with a compressed copy of each asset.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './lib/root.mjs';

const { build } = await import('vite');
await build({ root: join(root, 'packages/web'), logLevel: 'warn' });

const assets = join(root, 'packages/service/web/assets');
for (const name of readdirSync(assets)) {
  writeFileSync(join(assets, `${name}.gz`), gzipSync(readFileSync(join(assets, name)), { level: 9 }));
}
