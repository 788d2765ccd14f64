import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { Connector, readCatalog } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { runDifferences } from '../golden/run-differences.ts';
import { STAGE_DIFFERENCES } from '../golden/stage-differences.ts';
import { VALIDATION_DIFFERENCES } from '../golden/validation-differences.ts';
import { readText, root } from './repository.ts';

it('the generated pages of the docs equal the output of npm run docs', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-docs.mjs', '--check'], { cwd: root });
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
});

it('the generated pages of the docs have a row for each parameter', () => {
  const pages = new Map(
    ['connectors', 'stages', 'indexers'].flatMap((kind) =>
      readdirSync(join(root, 'docs/components', kind)).map((file) => {
        const page = readText(`docs/components/${kind}/${file}`);
        return [/^# (\w+)\n/.exec(page)?.[1], page];
      }),
    ),
  );
  const missing = readCatalog(catalogUrl).flatMap(({ kind, name, fields }) => {
    const page = (pages.get(name) ?? '') + readText(`docs/components/${kind}s.md`);
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

describe('docs/differences.md', () => {
  const page = comparable(readText('docs/differences.md'));
  const lines = readText('docs/differences.md').split('\n');

  it('lists each stage case with an intended difference, with its reason', () => {
    const missing = Object.entries(STAGE_DIFFERENCES).filter(([name, reason]) => {
      const stage = name.split('/')[0] as string;
      const ofStage = lines.filter((line) => line.includes(`\`${stage}\``) || /^\| all +\|/.test(line)).join('\n');
      return !comparable(stage === 'pipeline' ? page : ofStage).includes(comparable(reason));
    });
    expect(missing).toEqual([]);
  });

  it('lists each run and validation with an intended difference, with its reason', () => {
    const missing = Object.entries({ ...runDifferences, ...VALIDATION_DIFFERENCES }).filter(
      ([, reason]) => !page.includes(comparable(reason)),
    );
    expect(missing).toEqual([]);
  });

  it('has rows for stages that exist', () => {
    const section = lines.slice(lines.indexOf('## Stages'), lines.indexOf('### Java patterns'));
    const stages = section.flatMap((line) =>
      /^\| `/.test(line) ? Array.from((line.split('|')[1] as string).matchAll(/`(\w+)`/g), ([, name]) => name) : [],
    );
    const known = new Set(readCatalog(catalogUrl).map(({ name }) => name));
    expect(stages.length).toBeGreaterThan(0);
    expect(stages.filter((stage) => !known.has(stage as string))).toEqual([]);
  });
});

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
