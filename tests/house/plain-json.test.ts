import { expect, it } from 'vitest';
import { isForTests, readText, repositoryFiles } from './repository.ts';

/** Files that call `JSON.parse`, and who has written the text. */
const OWN_TEXTS: Readonly<Record<string, string>> = {
  'packages/engine/src/document/plain-json.ts': 'checks the nesting before',
  'packages/engine/src/config/secret-mask.ts': 'a copy of an object of a config',
  'packages/engine/src/document/json-reader.ts': 'one string',
  'packages/engine/src/document/number-list.ts': 'a list that was found to have only numbers',
  'packages/engine/src/component/catalog-file.ts': 'the build',
  'packages/engine/src/run/destinations.ts': 'this process',
  'packages/engine/src/transport/document-wire.ts': 'another thread',
  'packages/engine/src/threads/module-mounts.ts': 'the manifest of a package',
  'packages/engine/src/failures/failure-line.ts': 'the head of a line of the service',
  'packages/engine/src/failures/encoded-documents.ts': 'a pipeline thread: ids',
  'packages/engine/src/families/split-families.ts': 'a pipeline thread: ids',
  'packages/engine/src/writing/batch-bytes.ts': 'our encoder: one line with an action',
  'packages/formats/src/records/json/json-record-filter.ts': 'one string',
  'packages/components/src/search-engine/bulk-writer.ts': 'our encoder: one line with an action',
  'packages/components/src/search-engine/create-actions.ts': 'one string',
  'packages/components/src/search-engine/index-lifecycle.ts': 'a copy of an object of a config',
  'packages/components/src/postgres-index/upsert-groups.ts': 'our encoder, one string for each column',
  'packages/components/src/postgres-index/postgres-writer.ts': 'our encoder, two strings',
  'packages/components/src/postgres-index/blamed-field.ts': 'our encoder, one string for each column',
  'packages/components/src/files/remembered-mark.ts': 'our state of files: a list of texts',
  'packages/components/src/reindexing/create-index.ts': 'one setting of a config',
  'packages/components/src/caches/fetch-cached.ts': 'our cache: the head of an answer',
  'packages/distributed/src/settings/kafka-settings.ts': 'settings of a config',
  'packages/sandbox/src/boundary/find-boundary.ts': 'our probe',
  'packages/sandbox/src/boundary/launcher.ts': 'our command line',
  'packages/sandbox/src/python/pyodide-process.ts': 'our process, before it runs a script',
  'packages/sandbox/src/python/bounded-python.ts': 'the installed Python',
  'packages/sandbox/src/javascript/sandboxed-script.ts': 'a failure with three texts',
  'plugins/parquet/src/writing/row-group-writer.ts': 'our encoder',
  'plugins/text-extraction/src/parsing/cached-parse.ts': 'the manifest of a package',
  'plugins/text-extraction/src/formats/pdf-library.ts': 'the manifest of a package',
  'plugins/vector-stores/src/pinecone-indexer.ts': 'our encoder',
};

/** The packages whose code runs in the threads of runs. */
const calling = repositoryFiles().filter(
  (path) =>
    /^(packages\/(components|distributed|engine|formats|languages|local-models|sandbox)|plugins\/[^/]+)\/src\/.*\.ts$/.test(
      path,
    ) &&
    !isForTests(path) &&
    /(?<!`)\bJSON\.parse\(/.test(readText(path)),
);

it('texts of others are parsed by `parseJson`, because deep nesting takes memory that no limit covers', () => {
  const wrong = calling.filter((path) => OWN_TEXTS[path] === undefined);
  expect(wrong, 'use parseJson, or add to OWN_TEXTS who has written the text').toEqual([]);
});

it('OWN_TEXTS lists only files that call JSON.parse', () => {
  expect(Object.keys(OWN_TEXTS).filter((path) => !calling.includes(path))).toEqual([]);
});
