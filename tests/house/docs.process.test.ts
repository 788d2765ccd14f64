import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { Connector, readCatalog } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { runDifferences } from '../golden/run-differences.ts';
import { STAGE_DIFFERENCES } from '../golden/stage-differences.ts';
import { VALIDATION_DIFFERENCES } from '../golden/validation-differences.ts';
import { readText, repositoryFiles, root } from './repository.ts';

it('the generated pages of the docs equal the output of npm run docs', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-docs.mjs', '--check'], { cwd: root });
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
});

/** The generated page of each component, by its name. */
const componentPages = new Map(
  ['connectors', 'stages', 'indexers'].flatMap((kind) =>
    readdirSync(join(root, 'docs/components', kind)).map((file) => {
      const page = readText(`docs/components/${kind}/${file}`);
      return [/^# (\w+)\n/.exec(page)?.[1], page] as const;
    }),
  ),
);

it('the generated pages of the docs have a row for each parameter', () => {
  const missing = readCatalog(catalogUrl).flatMap(({ kind, name, fields }) => {
    const page = (componentPages.get(name) ?? '') + readText(`docs/components/${kind}s.md`);
    return fields.filter((field) => !page.includes(`\n| \`${field.name}\``)).map((field) => `${name} ${field.name}`);
  });
  expect(missing).toEqual([]);
});

it('docs/sources.md shows of each connector whether it reads only what is new', async () => {
  const rows = readText('docs/sources.md')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const plugins = readdirSync(join(root, 'plugins')).map(
    (name) => pathToFileURL(join(root, 'plugins', name, 'dist/catalog.jsonl')).href,
  );
  const connectors = [catalogUrl, ...plugins].flatMap(readCatalog).filter(({ kind }) => kind === 'connector');
  expect(connectors.length).toBeGreaterThan(10);
  for (const { name, module } of connectors) {
    const incremental = rows.find(([, , connector]) => connector?.includes(`[${name}]`))?.[3];
    const { [name]: Class } = (await import(module)) as Record<string, typeof Connector>;
    expect([name, /^no\b/.test(incremental ?? 'no row')]).toEqual([name, Class?.goesOn === Connector.goesOn]);
  }
});

it('docs/sources.md has the versions of the servers in the tests', () => {
  const page = readText('docs/sources.md');
  const servers = { s3: 'S3Mock', gcs: 'fake-gcs-server', kafka: 'Kafka', solr: 'Solr' };
  for (const [launcher, name] of Object.entries(servers)) expect(page).toContain(`${name} ${versionOf(launcher)}`);
});

it('docs/support.md has the versions of the servers in the tests', () => {
  const page = readText('docs/support.md');
  const servers = { elasticsearch: 'Elasticsearch', kafka: 'Kafka', solr: 'Solr', tika: 'Tika', weaviate: 'Weaviate' };
  for (const [launcher, name] of Object.entries(servers))
    expect(page).toMatch(new RegExp(`^\\| ${name} +\\| ${versionOf(launcher)}`, 'm'));
});

describe('the differences from Lucille', () => {
  const general = readText('docs/differences.md');
  const ofComponents = [...componentPages.values()].map((page) => section(page, 'Differences from Lucille'));
  const files = repositoryFiles().filter((path) => path.endsWith('.differences.md'));

  it('include each stage case with an intended difference, with its reason', () => {
    const missing = Object.entries(STAGE_DIFFERENCES).filter(([name, reason]) => {
      const stage = name.split('/')[0] as string;
      const ofStage = section(componentPages.get(stage) ?? '', 'Differences from Lucille');
      return !includes(ofStage + general, reason);
    });
    expect(missing).toEqual([]);
  });

  it('include each run and validation with an intended difference, with its reason', () => {
    const missing = Object.entries({ ...runDifferences, ...VALIDATION_DIFFERENCES }).filter(
      ([, reason]) => !includes([general, ...ofComponents].join('\n'), reason),
    );
    expect(missing).toEqual([]);
  });

  it('of a component have the name of its page', () => {
    expect(files.length).toBeGreaterThan(50);
    const withoutPage = files.filter((path) => {
      const page = path.replace('packages/components/src', 'docs/components').replace('.differences.md', '.md');
      return !existsSync(join(root, page));
    });
    expect(withoutPage).toEqual([]);
  });

  it('have paragraphs and list items of less than 600 characters', () => {
    const long = ['docs/differences.md', ...files].flatMap((path) =>
      readText(path)
        .split('\n')
        .filter((line) => line.length >= 600)
        .map((line) => `${path}: ${line}`),
    );
    expect(long).toEqual([]);
  });
});

/** Returns a section of a page with its heading and subsections, or an empty text if the page does not have it. */
function section(page: string, heading: string): string {
  return new RegExp(`^## ${heading}\n[\\s\\S]*?(?=^## |$(?![\\s\\S]))`, 'm').exec(page)?.[0] ?? '';
}

/** Returns whether a page has a reason, in any letter case and with or without code marks. */
function includes(page: string, reason: string): boolean {
  return comparable(page).includes(comparable(reason));
}

/** Returns the version of a server that its launcher starts. */
function versionOf(launcher: string): string {
  const [, version] = /^VERSION=\$\{\w+:-v?(.+)\}$/m.exec(readText(`tests/servers/${launcher}`)) ?? [];
  if (version === undefined) throw new Error(`tests/servers/${launcher} has no version`);
  return version;
}

/** Returns the text in lower case and without code marks. */
function comparable(text: string): string {
  return text.replaceAll('`', '').toLowerCase();
}
