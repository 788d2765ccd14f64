import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { readCatalog } from '@headrace/engine';
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

/** Returns the text in lower case and without code marks. */
function comparable(text: string): string {
  return text.replaceAll('`', '').toLowerCase();
}
