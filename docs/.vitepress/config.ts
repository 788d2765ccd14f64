import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { writeAssistantFiles } from './assistant-files.ts';
import { pageGroups } from './pages.ts';
import { SourceFiles } from './source-files.ts';

const docs = fileURLToPath(new URL('../', import.meta.url));
const sources = new SourceFiles(docs);
const groups = pageGroups(docs);

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
  buildEnd: ({ outDir, site }) => {
    sources.write(outDir);
    writeAssistantFiles(groups, site.description, outDir);
  },
  // The search index is one large file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: { search: { provider: 'local' }, outline: [2, 3], sidebar: sidebar() },
});

function sidebar(): DefaultTheme.SidebarItem[] {
  return groups.map(({ text, pages }) => ({
    text,
    collapsed: pages.length > 9,
    items: pages.map(({ path, title }) => ({ text: title, link: `/${path}` })),
  }));
}
