import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The groups of the pages, in order. A folder means all its pages. A page without a group is last. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Guide: [
    'index.md',
    'tutorial.md',
    'from-lucille.md',
    'configuration.md',
    'sources.md',
    'command-line.md',
    'custom-components.md',
    'editors.md',
    'support.md',
  ],
  Tasks: [
    'tasks/postgres-to-opensearch.md',
    'tasks/pdfs-to-pgvector.md',
    'tasks/kafka-to-data-stream.md',
    'tasks/from-logstash.md',
    'tasks/from-data-prepper.md',
    'tasks/from-elastic-connector.md',
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
  Reference: ['api.md', 'errors.md', 'notices.md', 'differences.md', 'lucille-releases.md'],
  Connectors: ['components/connectors.md', 'components/connectors/'],
  Stages: ['components/stages.md', 'components/stages/'],
  Indexers: ['components/indexers.md', 'components/indexers/'],
  Plugins: ['components/plugins.md', 'components/plugins/'],
  Contributing: ['contributing/'],
};

export interface SitePage {
  /** The path below `docs`. */
  readonly path: string;
  /** The first heading, without code marks. */
  readonly title: string;
  readonly markdown: string;
}

export interface PageGroup {
  readonly text: string;
  readonly pages: readonly SitePage[];
}

/** Returns all pages of the folder `docs`, in their groups. */
export function pageGroups(docs: string): PageGroup[] {
  const all = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const groups = Object.entries(GROUPS).map(([text, parts]) => ({
    text,
    paths: parts.flatMap((part) => (part.endsWith('/') ? all.filter((path) => path.startsWith(part)).sort() : [part])),
  }));
  const grouped = new Set(groups.flatMap(({ paths }) => paths));
  const others = all.filter((path) => !grouped.has(path)).sort();
  if (others.length > 0) groups.push({ text: 'More', paths: others });
  return groups.map(({ text, paths }) => ({ text, pages: paths.map((path) => readPage(docs, path)) }));
}

function readPage(docs: string, path: string): SitePage {
  const markdown = readFileSync(join(docs, path), 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`docs/${path} has no title`);
  return { path, title: title.replaceAll('`', ''), markdown };
}
