import type { ObjectNode } from '@headrace/hocon';
import { expect, it } from 'vitest';
import { currentNames } from './current-names.ts';
import { readConfigText } from './read-config.ts';
import { configToJson } from './render-config.ts';

/** Returns the config with its current names, and its problems as texts. */
function read(text: string) {
  const { root } = readConfigText(text);
  const current = currentNames(root as ObjectNode);
  return {
    config: JSON.parse(configToJson(current.root)) as Record<string, unknown>,
    problems: current.problems.map(
      ({ severity, path, line, column, message, hint }) =>
        `${severity} ${line}:${column} ${path}: ${message} | ${hint}`,
    ),
  };
}

const connector = (text: string) => {
  const { config, problems } = read(`connectors: [{ ${text} }]`);
  return { connector: (config.connectors as unknown[])[0], problems };
};
const stage = (text: string) => {
  const { config, problems } = read(`pipelines: [{ name: p, stages: [{ ${text} }] }]`);
  return { stage: (config.pipelines as { stages: unknown[] }[])[0]?.stages[0], problems };
};

it('reads the names of a connector of an older release', () => {
  expect(connector('class: "com.kmwllc.lucille.connector.FileConnector", pathsToStorage: [a, b]')).toEqual({
    connector: { class: 'com.kmwllc.lucille.connector.FileConnector', paths: ['a', 'b'] },
    problems: [
      'warning 1:69 connectors[0].pathsToStorage: pathsToStorage is the name of Lucille 0.7.0 and older: it is read as paths | Rename pathsToStorage to paths.',
    ],
  });
  const old =
    'class: FileConnector, pathToStorage: a, includes: [x], filterOptions { modificationCutoff: 1h }, fileOptions { csv {}, getFileContent: false }';
  expect(connector(old).connector).toEqual({
    class: 'FileConnector',
    paths: ['a'],
    filterOptions: { includes: ['x'], lastModifiedCutoff: '1h' },
    fileHandlers: { csv: {} },
    fileOptions: { getFileContent: false },
  });
  expect(connector('class: VFSConnector, vfsPath: "file:///data"').connector).toEqual({
    class: 'FileConnector',
    paths: ['file:///data'],
  });
  for (const [options, block] of [
    ['pathToServiceKey: k', 'gcp'],
    ['connectionString: c', 'azure'],
    ['accessKeyId: i', 's3'],
  ]) {
    const { connector: read } = connector(`class: FileConnector, cloudOptions { ${options} }`);
    expect(Object.keys(read as object)).toEqual(['class', block]);
  }
});

it('refuses two names of the same parameter, and what it cannot read', () => {
  expect(connector('class: FileConnector, pathsToStorage: [a], paths: [b]').problems).toEqual([
    'error 1:38 connectors[0].pathsToStorage: pathsToStorage is the name of paths in Lucille 0.7.0 and older, and both are set | Remove pathsToStorage.',
  ]);
  expect(connector('class: FileConnector, pathsToStorage: [a], pathToStorage: b').problems[1]).toContain(
    'both are set',
  );
  expect(connector('class: VFSConnector, vfsPath: "s3://s3.us-east-1.amazonaws.com/b"').problems[1]).toContain(
    'error 1:37 connectors[0].vfsPath: vfsPath of Lucille 0.5.2 and older cannot be read: the addresses of Apache VFS differ',
  );
  expect(stage('class: CopyFields, source: [a, b], dest: [x, y, z]').problems[0]).toContain('error');
  expect(read('pinecone { deleteByPrefix: true }').problems[0]).toContain(
    'error 1:12 pinecone.deleteByPrefix: deleteByPrefix was removed after Lucille 0.4.0',
  );
});

it('reads the names of stages, also of those that generate nested fields', () => {
  expect(stage('class: "com.kmwllc.lucille.stage.ApplyRegex", update_mode: append, ignore_case: true').stage).toEqual({
    class: 'com.kmwllc.lucille.stage.ApplyRegex',
    updateMode: 'append',
    ignoreCase: true,
  });
  expect(stage('class: CopyFields, source: [a, b], dest: [x, y]').stage).toEqual({
    class: 'CopyFields',
    fieldMapping: { a: 'x', b: 'y' },
  });
  expect(stage('class: CopyFields, source: [a, b], dest: [x]').stage).toEqual({
    class: 'CopyFields',
    fieldMapping: { a: 'x', b: 'x' },
  });
  expect(
    stage('class: AddRandomNestedField, generators { g { class: AddRandomString, range_size: 2 } }').stage,
  ).toEqual({
    class: 'AddRandomNestedField',
    generators: { g: { class: 'AddRandomString', rangeSize: 2 } },
  });
  expect(stage('name: n, class: "com.kmwllc.lucille.stage.ApplyJSONNata", expression: x')).toEqual({
    stage: { name: 'n', class: 'ApplyJSONata', expression: 'x' },
    problems: [
      'warning 1:51 pipelines[0].stages[0].class: ApplyJSONNata is the name of Lucille 0.5.4 and older: ApplyJSONata is used | Did you mean ApplyJSONata?',
    ],
  });
});

it('leaves custom classes and current configs as they are', () => {
  const text =
    'connectors: [{ class: "./my.js#FileConnector", pathToStorage: a }, { class: FileConnector, paths: [a] }]';
  const { root } = readConfigText(text);
  expect(currentNames(root as ObjectNode)).toEqual({ root, problems: [] });
  expect(currentNames(root as ObjectNode).root).toBe(root);
  expect(stage('class: "com.acme.stage.ApplyRegex", update_mode: a').problems).toEqual([]);
});

it('reads the names of blocks, and removes those without effect', () => {
  const { config, problems } = read(
    'indexer { type: CSV, ignoreFields: [a] }, kafka { pollIntervalMs: 250 }, worker { period: 1 }',
  );
  expect(config).toEqual({ indexer: { type: 'CSV', blacklist: ['a'] }, kafka: {}, worker: {} });
  expect(problems).toHaveLength(3);
  expect(problems[0]).toContain('warning 1:22 indexer.ignoreFields: ignoreFields is the name of Lucille 0.7.0');
});
