import { readdirSync, readFileSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { configSchema, configToJson, Registry, readConfigText } from '@headrace/engine';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';

const base = new URL('./', import.meta.url).href;
const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: ['./fixture-components.ts'],
  base,
  allowModules: false,
});
const schema = configSchema(registry);
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

/** Returns the errors of the schema for a config, with their paths. */
function complaints(config: string): string[] {
  const { root, problems } = readConfigText(config);
  if (root === undefined) throw new Error(JSON.stringify(problems));
  return mistakes(JSON.parse(configToJson(root)));
}

function mistakes(config: unknown): string[] {
  validate(config);
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

function withStage(stage: string, more = ''): string {
  return `connectors: [], pipelines: [{ name: main, stages: [${stage}] }], indexer { type: Nop }\n${more}`;
}

function withConnector(connector: string): string {
  return `connectors: [${connector}], pipelines: [{ name: main, stages: [] }], indexer { type: nop }`;
}

describe('the schema of a config', () => {
  it.each([
    ['a Java name', withStage('{ class: com.kmwllc.lucille.stage.DropDocument }')],
    ['a class of a module', withStage('{ class: "./my-stage.js#MyStage", anything: 1 }')],
    ['a number as text', withStage('{ class: TruncateField, source: a, maxSize: "5" }')],
    ['a boolean as text', withStage('{ class: DropDocument, enabled: yes }')],
    ['a list by keys', withStage('{ class: DeleteFields, fields { 0: a, 1: b } }')],
    ['null for absent', withStage('{ class: DropDocument, name: null, conditions: null }')],
    ['a policy in capitals', withStage('{ class: DropDocument, conditions: [{ fields: [a] }], conditionPolicy: ANY }')],
    [
      'groups of conditions',
      withStage(
        '{ class: DropDocument, conditions: [{ or: [{ fields: [a], operator: "<", values: [1] }, { not { fields: [b] } }] }] }',
      ),
    ],
    ['free keys', withStage('{ class: DropDocument }', 'mine { a: [1] }')],
    ['the block of another indexer', withStage('{ class: DropDocument }', 'csv { anything: 1 }')],
    [
      'file handlers',
      withConnector(
        '{ class: FileConnector, paths: [a], fileHandlers { csv {}, psv { class: CSVFileHandler }, mp4 { class: VideoFileHandler, frameStride: 9 } } }',
      ),
    ],
    [
      'generators',
      withStage(
        '{ class: AddRandomNestedField, targetField: a, entries { b: c }, generators { c { class: AddRandomInt } } }',
      ),
    ],
  ])('accepts %s', (_, config) => expect(complaints(config)).toEqual([]));

  it.each([
    ['a misspelt class', withStage('{ class: DropDocuments }'), '/pipelines/0/stages/0/class'],
    ['no class', withStage('{ name: a }'), "/pipelines/0/stages/0 must have required property 'class'"],
    ['an unknown parameter', withStage('{ class: DropDocument, colour: red }'), '"colour"'],
    ['a condition without fields', withStage('{ class: DropDocument, conditions: [{ values: [1] }] }'), 'conditions/0'],
    [
      'a group with other keys',
      withStage('{ class: DropDocument, conditions: [{ or: [{ fields: [a] }], fields: [a] }] }'),
      'conditions/0',
    ],
    [
      'a condition without fields in a group',
      withStage('{ class: DropDocument, conditions: [{ not { values: [1] } }] }'),
      'conditions/0/not',
    ],
    [
      'an operator that does not exist',
      withStage('{ class: DropDocument, conditions: [{ fields: [a], operator: should }] }'),
      'operator',
    ],
    ['a text where a list is', withStage('{ class: DeleteFields, fields: a }'), '/stages/0/fields'],
    ['an unknown key of an engine block', withStage('{ class: DropDocument }', 'worker { thread: 2 }'), '/worker'],
    [
      'too many threads',
      withStage('{ class: DropDocument }', 'worker { threads: 1000 }'),
      '/worker/threads must be <= 64',
    ],
    ['an unknown key of the indexer', withStage('{ class: DropDocument }', 'indexer.batchsize: 2'), '/indexer'],
    ['an indexer that does not exist', withStage('{ class: DropDocument }', 'indexer.type: Solar'), '/indexer/type'],
    ['half of a pair', withStage('{ class: DropDocument }', 'indexer.deleteByFieldField: a'), 'deleteByFieldValue'],
    ['a retry setting alone', withStage('{ class: DropDocument }', 'indexer.retryWaitDurationMs: 5'), 'maxRetries'],
    ['an indexer without its block', withStage('{ class: DropDocument }', 'indexer.type: CSV'), "'csv'"],
    [
      'a wrong key in the block',
      withStage('{ class: DropDocument }', 'indexer.type: csv, csv { path: a, columns: [a], wrong: 1 }'),
      '/csv',
    ],
    [
      'a file handler without a class',
      withConnector('{ class: FileConnector, paths: [a], fileHandlers { psv {} } }'),
      '/fileHandlers/psv',
    ],
    [
      'a wrong parameter of a file handler',
      withConnector('{ class: FileConnector, paths: [a], fileHandlers { csv { separator: ";" } } }'),
      '"separator"',
    ],
    [
      'an unknown file handler',
      withConnector('{ class: FileConnector, paths: [a], fileHandlers { x { class: Y } } }'),
      '/fileHandlers/x/class',
    ],
    [
      'a generator that is another kind of stage',
      withStage('{ class: AddRandomNestedField, targetField: a, entries { b: c }, generators { c { class: Print } } }'),
      '/generators/c/class',
    ],
    ['no indexer', 'connectors: [], pipelines: []', "'indexer'"],
    ['an indexer of no kind', 'connectors: [], pipelines: [], indexer { batchSize: 1 }', "'type'"],
  ])('refuses %s', (_, config, place) => expect(complaints(config).join('\n')).toContain(place));

  it('reports only the class if that is misspelt', () => {
    const places = new Set(complaints(withStage('{ class: DropDocuments, a: 1 }')).map((text) => text.split(' ')[0]));
    expect([...places]).toEqual(['/pipelines/0/stages/0/class']);
  });

  it('lists custom components by their name and by their module', () => {
    const [custom] = registry.list('connector').filter(({ module }) => !registry.isBuiltIn(module));
    for (const name of [custom?.name, `./fixture-components.ts#${custom?.name}`]) {
      expect(complaints(withConnector(`{ class: "${name}", stranger: 1 }`)).join()).toContain('"stranger"');
    }
  });

  it.each(readdirSync(new URL('../../examples/', import.meta.url)).filter((name) => name.endsWith('.conf')))(
    'takes examples/%s',
    (name) => {
      const text = readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');
      expect(complaints(text)).toEqual([]);
    },
  );

  const components = (['connector', 'stage', 'indexer'] as const).flatMap((kind) => registry.list(kind));

  it('describes every parameter of the built-in components', () => {
    const definitions = schema['$defs'] as Record<string, { properties: Record<string, { description?: string }> }>;
    const bare = components
      .filter(({ module }) => registry.isBuiltIn(module))
      .flatMap(({ kind, name, schema: own }) => {
        const { properties } = definitions[`${kind}.${name}`] as (typeof definitions)[string];
        return Object.entries(own.properties)
          .filter(([key, property]) => !('flat' in property) && properties[key]?.description === undefined)
          .map(([key]) => `${name}.${key}`);
      });
    expect(bare).toEqual([]);
  });

  it('accepts the examples of the stages, and rejects each with an unknown or a missing key', () => {
    const stages = registry.list('stage').filter(({ examples = [] }) => examples.length > 0);
    expect(stages.length).toBeGreaterThan(30);
    for (const { name, examples = [], schema: own } of stages) {
      for (const { params } of examples as { params: Record<string, unknown> }[]) {
        const config = (stage: object) => ({
          connectors: [],
          pipelines: [{ name: 'main', stages: [{ class: name, ...stage }] }],
          indexer: { type: 'Nop' },
        });
        expect(mistakes(config(params)), name).toEqual([]);
        expect(mistakes(config({ ...params, stranger: 1 })).join(), name).toContain('"stranger"');
        const properties = own.properties as Record<string, object>;
        const required = (own.required as string[] | undefined) ?? [];
        for (const key of required.filter((one) => !('default' in (properties[one] as object)))) {
          const { [key]: _, ...rest } = params;
          expect(mistakes(config(rest)).join(), name).toContain(`'${key}'`);
        }
      }
    }
  });
});
