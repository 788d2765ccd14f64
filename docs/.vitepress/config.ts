import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { SourceFiles } from './source-files.ts';

const docs = fileURLToPath(new URL('../', import.meta.url));
const sources = new SourceFiles(docs);

/** The sidebar. A folder means all its pages. A page without a group is last. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Guide: [
    'index.md',
    'tutorial.md',
    'from-lucille.md',
    'configuration.md',
    'command-line.md',
    'custom-components.md',
    'editors.md',
  ],
  Service: [
    'service.md',
    'web-application.md',
    'security.md',
    'deployment.md',
    'distributed.md',
    'kubernetes.md',
    'metrics.md',
    'reindexing.md',
    'retrieval.md',
    'reliability.md',
    'performance.md',
  ],
  Reference: ['api.md', 'errors.md', 'differences.md', 'lucille-releases.md'],
  Connectors: ['components/connectors.md', 'components/connectors/'],
  Stages: ['components/stages.md', 'components/stages/'],
  Indexers: ['components/indexers.md', 'components/indexers/'],
  Plugins: ['components/plugins.md', 'components/plugins/'],
  Contributing: ['contributing/'],
};

export default defineConfig({
  title: 'Headrace',
  description: 'Search ingest: connectors, pipelines of stages, indexers, as a service and a command line.',
  cacheDir: join(docs, '../node_modules/.cache/vitepress'),
  markdown: {
    config: (markdown) => sources.linkIn(markdown),
    // The names that GitHub uses, so that a link to a part of a page works in both places.
    anchor: {
      slugify: (title) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/g, '-'),
    },
    languageAlias: { hocon: 'hjson' },
    // An address in a text is a value of a config, not a link.
    linkify: false,
  },
  // `SourceFiles` checks these links itself.
  ignoreDeadLinks: [sources.isLink],
  buildEnd: ({ outDir }) => sources.write(outDir),
  // The search index is one large file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: { search: { provider: 'local' }, outline: [2, 3], sidebar: sidebar() },
});

function sidebar(): DefaultTheme.SidebarItem[] {
  const all = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const groups = Object.entries(GROUPS).map(([text, parts]) => ({
    text,
    pages: parts.flatMap((part) => (part.endsWith('/') ? all.filter((path) => path.startsWith(part)).sort() : [part])),
  }));
  const grouped = new Set(groups.flatMap(({ pages }) => pages));
  const others = all.filter((path) => !grouped.has(path)).sort();
  if (others.length > 0) groups.push({ text: 'More', pages: others });
  return groups.map(({ text, pages }) => ({
    text,
    collapsed: pages.length > 8,
    items: pages.map((path) => ({ text: titleOf(path), link: `/${path}` })),
  }));
}

/** Returns the first heading of a page. */
function titleOf(path: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(join(docs, path), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${path} has no title`);
  return title.replaceAll('`', '');
}
