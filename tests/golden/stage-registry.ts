import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { type CatalogEntry, commonParameters, describeModule, Registry } from '@headrace/engine';

const here = new URL('./', import.meta.url);

/**
 * The built-in components, and an indexer that takes nothing, because a config without one is wrong. From the
 * catalog of the build; before there is one, from the sources of the stages.
 */
export async function openStageRegistry(): Promise<Registry> {
  const modules = ['./no-indexer.ts'];
  if (existsSync(fileURLToPath(catalogUrl))) {
    return Registry.open({ catalogs: [catalogUrl], modules, base: here.href, allowModules: false });
  }
  const folder = mkdtempSync(join(tmpdir(), 'headrace-catalog-'));
  try {
    const catalog = join(folder, 'catalog.json');
    writeFileSync(catalog, JSON.stringify(await describeSources()));
    return await Registry.open({
      catalogs: [pathToFileURL(catalog).href],
      modules,
      base: here.href,
      allowModules: false,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function describeSources(): Promise<CatalogEntry[]> {
  const stages = new URL('../../packages/components/src/stages/', import.meta.url);
  const entries: CatalogEntry[] = [];
  for (const file of readdirSync(stages)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const { href } = new URL(file, stages);
    const exports = (await import(href)) as Record<string, unknown>;
    const source = readFileSync(new URL(href), 'utf8');
    entries.push(...describeModule(exports, source, href, '@headrace/components', commonParameters));
  }
  return entries;
}
