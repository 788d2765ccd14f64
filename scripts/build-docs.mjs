// `npm run docs`: writes the generated pages of the docs from what the build has left: the catalog of components and
// the tables of error codes. With --check it writes nothing and fails when a page is not as it would be written.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentPages } from './docs/component-pages.mjs';
import { errorPage } from './docs/error-page.mjs';
import { env, root } from './lib/root.mjs';

const docs = new URL('../docs/', import.meta.url);
const pages = { ...componentPages(), 'errors.md': errorPage() };
const stale = Object.entries(pages)
  .map(([path, text]) => [path, formatted(path, text)])
  .filter(([path, text]) => read(path) !== text);

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`docs/${path} is not what npm run docs would write`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of stale) {
    const file = fileURLToPath(new URL(path, docs));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`docs/${path} is new`);
  }
  console.log(`docs: ${Object.keys(pages).length} pages, ${stale.length} changed`);
}

/** As Biome wants all files of the repository. */
function formatted(path, text) {
  const options = { input: text, cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] };
  return execFileSync('biome', ['format', `--stdin-file-path=docs/${path}`], options).toString();
}

function read(path) {
  try {
    return readFileSync(new URL(path, docs), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
