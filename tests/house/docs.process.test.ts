import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { readCatalog } from '@headrace/engine';
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

/** Returns the text in lower case and without code marks. */
function comparable(text: string): string {
  return text.replaceAll('`', '').toLowerCase();
}
