import { execFileSync } from 'node:child_process';
import { catalogUrl } from '@headrace/components';
import { readCatalog } from '@headrace/engine';
import { describe, expect, test } from 'vitest';

/** Components of local jobs, which contact no server. Every thread of a run loads the components of its config. */
const LOCAL = [
  'CSVConnector',
  'JSONConnector',
  'SequenceConnector',
  'RenameFields',
  'ApplyRegex',
  'NormalizeText',
  'CSVIndexer',
  'JsonLinesIndexer',
  'NopIndexer',
];

/** Parts of Node that take milliseconds, some tens of milliseconds, to load in each thread. */
const HEAVY = [
  'NativeModule http',
  'NativeModule https',
  'NativeModule http2',
  'NativeModule tls',
  'NativeModule zlib',
  'NativeModule crypto',
  'NativeModule net',
  'NativeModule child_process',
  'NativeModule internal/readline/interface',
];

/** Returns the parts of Node that a module loads into a thread. */
function loadedBy(url: string): string[] {
  const script = `
    const { Worker } = require('node:worker_threads');
    new Worker('import(${JSON.stringify(url)}).then(() => console.log(JSON.stringify(process.moduleLoadList)))', { eval: true });`;
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as string[];
}

describe('the start of a local run', () => {
  const catalog = readCatalog(catalogUrl);

  test.each(LOCAL)('%s loads no part of Node that contacts servers', (name) => {
    const module = catalog.find((entry) => entry.name === name)?.module;
    expect(module).toBeDefined();
    const loaded = loadedBy(module as string);
    expect(loaded).toContain('NativeModule fs');
    expect(loaded.filter((loading) => HEAVY.includes(loading))).toEqual([]);
  });

  test.each(['bulk-encoder', 'keyed-encoder', 'postgres-encoder', 'solr-encoder'])(
    'a pipeline thread that uses %s loads no part of Node that contacts servers',
    (encoder) => {
      const loaded = loadedBy(new URL(`../../packages/components/bundle/${encoder}.js`, import.meta.url).href);
      expect(loaded).toContain('NativeModule fs');
      expect(loaded.filter((loading) => HEAVY.includes(loading))).toEqual([]);
    },
  );

  test.each(['cli/command-line', 'cli/run'])(
    'headrace run (%s) loads no part of Node that contacts servers',
    (file) => {
      const loaded = loadedBy(new URL(`../../packages/headrace/bundle/${file}.js`, import.meta.url).href);
      expect(loaded).toContain('NativeModule fs');
      expect(loaded.filter((loading) => HEAVY.includes(loading))).toEqual([]);
    },
  );

  test('one that uses servers does', () => {
    const module = catalog.find((entry) => entry.name === 'RSSConnector')?.module as string;
    expect(loadedBy(module)).toEqual(expect.arrayContaining(['NativeModule http']));
  });
});
