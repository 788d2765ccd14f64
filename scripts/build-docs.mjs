// `npm run docs`: writes the generated pages of the docs from the output of the build: the catalog of components, the
// OpenAPI document, and the tables of error codes and old names. With --check it writes nothing, and fails if a page differs from its generated content.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPage } from './docs/api-page.mjs';
import { componentPages } from './docs/component-pages.mjs';
import { errorPage } from './docs/error-page.mjs';
import { metricsPage } from './docs/metrics-page.mjs';
import { noticesPage } from './docs/notices-page.mjs';
import { releasesPage } from './docs/releases-page.mjs';
import { openapiDocument } from './lib/openapi-document.mjs';
import { env, root } from './lib/root.mjs';

const docs = new URL('../docs/', import.meta.url);
const pages = formatted({
  ...componentPages(),
  'api.md': apiPage(await openapiDocument()),
  'errors.md': errorPage(),
  'metrics.md': metricsPage(read('metrics.md')),
  'notices.md': noticesPage(read('notices.md')),
  'lucille-releases.md': releasesPage(),
});
const stale = Object.entries(pages).filter(([path, text]) => read(path) !== text);

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`docs/${path} is out of date. Run: npm run docs`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of stale) {
    const file = fileURLToPath(new URL(path, docs));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`docs/${path}: written`);
  }
  console.log(`docs: ${Object.keys(pages).length} pages, ${stale.length} changed`);
}

/** Formats the pages with Biome in one call, because a call per page would take a third of a second each. */
function formatted(pages) {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-docs-'));
  try {
    for (const [path, text] of Object.entries(pages)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const options = ['--write', '--log-level=error', '--vcs-enabled=false', `--config-path=${root}`];
    execFileSync('biome', ['format', ...options, folder], { cwd: root, env, stdio: 'pipe' });
    return Object.fromEntries(Object.keys(pages).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(path) {
  try {
    return readFileSync(new URL(path, docs), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
