import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedCatalogs } from '@headrace/components';
import { RENAMED_CLASSES, RENAMED_PARAMETERS, Registry } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace } from '../cli/headrace.ts';

/**
 * The example configs of Lucille changed with its releases. These configs are ours and have the same shapes. The name of
 * a shape says which releases have it. All shapes of an example must have the same result as the newest one.
 */

/** A shape of an example, and the old names in it, in the order of the text. */
interface Shape {
  readonly releases: string;
  readonly config: string;
  readonly old: readonly string[];
}

/** Writes the data of the examples. Returns the folder. */
function folder(): string {
  const directory = directoryWith();
  mkdirSync(join(directory, 'in'));
  mkdirSync(join(directory, 'mail'));
  writeFileSync(join(directory, 'in/source.csv'), 'name,price,country\nTea,3,India\nCoffee,5,Peru\n');
  writeFileSync(join(directory, 'in/source.jsonl'), '{"id":"j1","name":"Cocoa","price":"4","country":"Ghana"}\n');
  writeFileSync(join(directory, 'mail/a.txt'), 'Dear Ada');
  writeFileSync(join(directory, 'mail/b.txt'), 'Dear Alan');
  writeFileSync(join(directory, 'mail/c.log'), 'not read');
  writeFileSync(join(directory, 'words.txt'), 'red\n');
  return directory;
}

/** Returns the old names that `validate` reports, after checking that it reports nothing else. */
async function validate(directory: string): Promise<string[]> {
  const { code, stdout } = await headrace(['validate', 'x.conf'], { cwd: directory });
  expect(code, stdout).toBe(0);
  // The CSV indexer of these configs writes all of its columns, also those in the blacklist.
  const lines = stdout
    .split('\n')
    .slice(0, -2)
    .filter((line) => !line.includes('has no effect with CSVIndexer'));
  return lines.map(
    (line) => /: (\S+) (?:is the name of Lucille|has no effect: (?:no release|runs report))/.exec(line)?.[1] ?? line,
  );
}

const FILE_TO_FILE = `
pipelines: [{ name: simple_pipeline, stages: [
  { class: "com.kmwllc.lucille.stage.RenameFields", fieldMapping { "name": "my_name", "price": "my_price", "country": "my_country" } }
] }]
indexer { type: "CSV" }
csv { columns: ["my_name", "my_country", "my_price"], path: "dest.csv", append: true, includeHeader: false }`;

function files(own: (file: string, type: string) => string): string {
  const connector = (file: string, type: string) =>
    `{ class: "com.kmwllc.lucille.connector.FileConnector", name: "${type}_connector", pipeline: "simple_pipeline", ${own(file, type)} }`;
  return `connectors: [${connector('in/source.csv', 'csv')}
${connector('in/source.jsonl', 'json')}]${FILE_TO_FILE}`;
}

const FILES: readonly Shape[] = [
  {
    releases: '0.3.0 to 0.5.2',
    config: `connectors: [
      { class: "com.kmwllc.lucille.connector.CSVConnector", name: "csv_connector", path: "in/source.csv", pipeline: "simple_pipeline" }
      { class: "com.kmwllc.lucille.connector.JSONConnector", name: "json_connector", jsonPath: "in/source.jsonl", pipeline: "simple_pipeline", idField: "name" }
    ]${FILE_TO_FILE}`,
    old: [],
  },
  {
    releases: '0.5.3 to 0.5.5',
    config: files((file, type) => `pathToStorage: "${file}", fileOptions { ${type} {} }`),
    old: ['pathToStorage', 'fileOptions.csv', 'pathToStorage', 'fileOptions.json'],
  },
  {
    releases: '0.5.6',
    config: files((file, type) => `pathsToStorage: ["${file}"], fileOptions { ${type} {} }`),
    old: ['pathsToStorage', 'fileOptions.csv', 'pathsToStorage', 'fileOptions.json'],
  },
  {
    releases: '0.5.7 to 0.7.0',
    config: files((file, type) => `pathsToStorage: ["${file}"], fileHandlers { ${type} {} }`),
    old: ['pathsToStorage', 'pathsToStorage'],
  },
  {
    releases: '0.8.0 to 0.11.0',
    config: files((file, type) => `paths: ["${file}"], fileHandlers { ${type} {} }`),
    old: [],
  },
];

/** A folder of texts, as in the examples that fill OpenSearch. */
function folderOf(connector: string, extractor: string, mode: string, ignored: string, worker = ''): string {
  return `connectors: [{ name: "files", pipeline: "p", ${connector} }]
pipelines: [{ name: "p", stages: [
  { name: "extract", class: "com.kmwllc.lucille.tika.stage.TextExtractor", ${extractor} }
  { name: "rename", class: "com.kmwllc.lucille.stage.RenameFields", fieldMapping { "text": "body" }, ${mode} }
  { name: "delete", class: "com.kmwllc.lucille.stage.DeleteFields", fields: ["file_content", "file_path", "file_modification_date", "file_creation_date", "file_size_bytes"] }
] }]
indexer { type: "CSV", batchTimeout: 1000, ${ignored} }
csv { columns: ["body"], path: "dest.csv" }
worker { pipeline: "p", threads: 1${worker} }`;
}

const FILE = 'class: "com.kmwllc.lucille.connector.FileConnector"';
const SNAKE = 'byte_array_field: "file_content", metadata_prefix: "m_", metadata_blacklist: ["x"]';
const SNAKES = ['byte_array_field', 'metadata_prefix', 'metadata_blacklist', 'update_mode', 'ignoreFields'];
const CAMEL = 'byteArrayField: "file_content", metadataPrefix: "m_"';

const FOLDERS: readonly Shape[] = [
  {
    releases: '0.3.0 to 0.5.2',
    config: folderOf(
      'class: "com.kmwllc.lucille.connector.VFSConnector", vfsPath: "mail", includes: [".*[.]txt"]',
      SNAKE,
      'update_mode: "overwrite"',
      'ignoreFields: ["run_id"]',
      ', heartbeat: true, period: 1000',
    ),
    old: ['VFSConnector', 'vfsPath', 'includes', ...SNAKES, 'heartbeat', 'period'],
  },
  {
    releases: '0.5.3',
    config: folderOf(
      `${FILE}, pathToStorage: "mail", includes: [".*[.]txt"]`,
      SNAKE,
      'update_mode: "overwrite"',
      'ignoreFields: ["run_id"]',
    ),
    old: ['pathToStorage', 'includes', ...SNAKES],
  },
  {
    releases: '0.5.4 and 0.5.5',
    config: folderOf(
      `${FILE}, pathToStorage: "mail", filterOptions { includes: [".*[.]txt"], modificationCutoff: "1h" }`,
      SNAKE,
      'update_mode: "overwrite"',
      'ignoreFields: ["run_id"]',
    ),
    old: ['pathToStorage', 'filterOptions.modificationCutoff', ...SNAKES],
  },
  {
    releases: '0.5.6 to 0.5.10',
    config: folderOf(
      `${FILE}, pathsToStorage: ["mail"], filterOptions { includes: [".*[.]txt"], lastModifiedCutoff: "1h" }`,
      SNAKE,
      'update_mode: "overwrite"',
      'ignoreFields: ["run_id"]',
    ),
    old: ['pathsToStorage', ...SNAKES],
  },
  {
    releases: '0.6.0 and 0.7.0',
    config: folderOf(
      `${FILE}, pathsToStorage: ["mail"], filterOptions { includes: [".*[.]txt"], lastModifiedCutoff: "1h" }`,
      `${CAMEL}, metadataBlacklist: ["x"]`,
      'updateMode: "overwrite"',
      'ignoreFields: ["run_id"]',
    ),
    old: ['pathsToStorage', 'metadataBlacklist', 'ignoreFields'],
  },
  {
    releases: '0.8.0 to 0.11.0',
    config: folderOf(
      `${FILE}, paths: ["mail"], filterOptions { includes: [".*[.]txt"], lastModifiedCutoff: "1h" }`,
      `${CAMEL}, blacklist: ["x"]`,
      'updateMode: "overwrite"',
      'blacklist: ["run_id"]',
    ),
    old: [],
  },
];

/** Random documents and the stages that changed, as in the example that generates documents. */
function generated(stages: string): string {
  return `connectors: [{ class: "com.kmwllc.lucille.connector.SequenceConnector", name: "c", pipeline: "p", numDocs: 2 }]
pipelines: [{ name: "p", stages: [${stages}] }]
indexer { type: "CSV" }
csv { columns: ["id", "word", "copy", "day"], path: "dest.csv" }`;
}

const SNAKE_STRING = 'field_name: "word", input_data_path: "words.txt", min_num_of_terms: 1, max_num_of_terms: 1';
const SNAKE_STRINGS = ['field_name', 'input_data_path', 'min_num_of_terms', 'max_num_of_terms'];
const MAPPED = '{ class: "com.kmwllc.lucille.stage.CopyFields", fieldMapping { id: "copy" }';
const LISTED =
  '{ class: "com.kmwllc.lucille.stage.CopyFields", source: ["id"], dest: ["copy"], update_mode: "overwrite" }';
const SNAKE_STATIC =
  '{ class: "com.kmwllc.lucille.stage.SetStaticValues", static_values { day: "2024" }, update_mode: "overwrite" }';

const GENERATED: readonly Shape[] = [
  {
    releases: '0.3.0 to 0.4.1',
    config: generated(
      `{ class: "com.kmwllc.lucille.stage.AddRandomField", ${SNAKE_STRING}, range_size: 1 }, ${LISTED}, ${SNAKE_STATIC}`,
    ),
    old: ['AddRandomField', ...SNAKE_STRINGS, 'range_size', 'source', 'update_mode', 'static_values', 'update_mode'],
  },
  {
    releases: '0.5.0 to 0.5.4',
    config:
      generated(`{ class: "com.kmwllc.lucille.stage.AddRandomString", ${SNAKE_STRING} }, ${LISTED}, ${SNAKE_STATIC}
      { class: "com.kmwllc.lucille.stage.ApplyJSONNata", expression: "$" }`),
    old: [...SNAKE_STRINGS, 'source', 'update_mode', 'static_values', 'update_mode', 'ApplyJSONNata'],
  },
  {
    releases: '0.5.8 to 0.5.10',
    config: generated(`{ class: "com.kmwllc.lucille.stage.AddRandomString", ${SNAKE_STRING} }
      ${MAPPED}, update_mode: "overwrite" }, ${SNAKE_STATIC}
      { class: "com.kmwllc.lucille.stage.AddRandomNestedField", target_field: "nested", num_objects: 1, entries { a: g },
        generators { g { class: "com.kmwllc.lucille.stage.AddRandomInt", range_end: 9 } } }`),
    old: [
      ...[...SNAKE_STRINGS, 'update_mode', 'static_values', 'update_mode'],
      ...['target_field', 'num_objects', 'range_end'],
    ],
  },
  {
    releases: '0.6.0 to 0.11.0',
    config:
      generated(`{ class: "com.kmwllc.lucille.stage.AddRandomString", fieldName: "word", inputDataPath: "words.txt", minNumOfTerms: 1, maxNumOfTerms: 1 }
      ${MAPPED}, updateMode: "overwrite" }
      { class: "com.kmwllc.lucille.stage.SetStaticValues", staticValues { day: "2024" }, updateMode: "overwrite" }`),
    old: [],
  },
];

const TEXTS = ['"', '"', '"Dear Ada', '"Dear Alan', '"body"'];
const RENAMED = ['"Cocoa","Ghana","4"', '"Coffee","Peru","5"', '"Tea","India","3"'];
const RANDOM = ['"0","red","0","2024"', '"1","red","1","2024"', '"id","word","copy","day"'];

describe.each([
  ['from file to file', FILES, RENAMED],
  ['with a folder of texts', FOLDERS, TEXTS],
  ['with generated documents', GENERATED, RANDOM],
] as const)('the example %s', (_, shapes, result) => {
  it.each(shapes)('of $releases is read, with a warning for each old name, and has the same result', async (shape) => {
    const directory = folder();
    writeFileSync(join(directory, 'x.conf'), shape.config);
    expect(await validate(directory)).toEqual(shape.old);
    const { code, stdout, stderr } = await headrace(['run', 'x.conf'], { cwd: directory });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining('RUN SUMMARY: Success.') });
    expect(readFileSync(join(directory, 'dest.csv'), 'utf8').trimEnd().split('\n').sort()).toEqual(result);
  });
});

it('the table of old names fits the components', async () => {
  const registry = await Registry.open({
    catalogs: installedCatalogs(),
    modules: [],
    base: import.meta.url,
    allowModules: false,
  });
  for (const { kind, from, to } of RENAMED_CLASSES) {
    expect([from, await registry.find(kind, from)]).toEqual([from, undefined]);
    expect(await registry.find(kind, to)).toBeDefined();
  }
  for (const { kind, component, from, to, conversion } of RENAMED_PARAMETERS) {
    const entries = kind === 'block' ? registry.list('indexer').filter(({ block }) => block === component) : [];
    const entry = kind === 'block' ? entries[0] : await registry.find(kind, component);
    if (kind === 'block' && entry === undefined) continue;
    const known = Object.keys(entry?.schema.properties ?? {});
    const [old = '', inner] = from.split('.');
    if (inner === undefined) expect(known, `${component}.${from}`).not.toContain(old);
    if (to !== undefined && conversion !== 'cloud') expect(known, `${component}.${to}`).toContain(to.split('.')[0]);
  }
});
