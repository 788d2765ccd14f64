import type { CatalogEntry, ComponentKind } from '../component/catalog.ts';
import { commonParameters, conditionParameters, GROUP_KEYS } from '../component/common-parameters.ts';
import { indexerSettings } from '../component/indexer-settings.ts';
import { descriptionsOf, type JsonSchema, listOf, orNull, SchemaWriter } from '../component/json-schema.ts';
import type { Registry } from '../component/registry.ts';
import type { TObject } from '../component/schema.ts';
import { requiredKeys } from '../component/schema-parts.ts';
import { PAIRS, RETRY_KEYS } from './check-indexer.ts';
import { engineBlocks, MAX_THREADS } from './engine-blocks.ts';
import { olderNamesOf, RENAMED_CLASSES } from './released-names.ts';

const KINDS: readonly ComponentKind[] = ['connector', 'stage', 'indexer'];

const BLOCKS: Readonly<Record<keyof typeof engineBlocks, string>> = {
  worker: 'The threads that run the stages.',
  publisher: 'The queue between the connector and the stages.',
  runner: 'The run as a whole.',
  log: 'What a run logs about itself.',
  zookeeper: 'Accepted for compatibility with older configs; it has no effect.',
  kafka: 'The Kafka connection of a distributed run.',
};

/**
 * Returns the JSON Schema (2020-12) of a config with every component that the registry knows. Editors use it to
 * complete and check a config. It checks names, types and values like `checkConfig`. Checks that compare several
 * positions of a config exist only in `checkConfig`: unknown pipelines, or two stages with the same name.
 */
export function configSchema(registry: Registry): JsonSchema {
  const entries = KINDS.flatMap((kind) => registry.list(kind));
  const writer = new SchemaWriter(entries);
  const indexers = registry.list('indexer');
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Headrace config',
    description: 'Connectors read, pipelines of stages transform, an indexer writes. Other top-level keys are allowed.',
    type: 'object',
    required: ['connectors', 'pipelines', 'indexer'],
    properties: {
      connectors: { ...listOf({ $ref: '#/$defs/connector' }), description: 'The sources, read in this order.' },
      pipelines: { ...listOf({ $ref: '#/$defs/pipeline' }), description: 'What happens to the documents.' },
      indexer: { $ref: '#/$defs/indexer' },
      tests: { ...listOf({ $ref: '#/$defs/test' }), description: 'Unit tests of the pipelines, for `headrace test`.' },
      ...Object.fromEntries(indexers.flatMap(mentionBlock)),
      ...Object.fromEntries(
        Object.entries(engineBlocks).map(([key, block]) => [
          key,
          { ...orNull(writer.object(block)), description: BLOCKS[key as keyof typeof engineBlocks] },
        ]),
      ),
    },
    allOf: indexers.flatMap((entry) => blockOf(entry, indexers, registry)),
    $defs: {
      pipeline: PIPELINE,
      test: TEST,
      condition: conditionSchema(writer),
      connector: component('connector', registry),
      stage: component('stage', registry),
      indexer: indexerBlock(writer, indexers, registry),
      connectorClass: classNames('connector', registry),
      stageClass: classNames('stage', registry),
      indexerClass: classNames('indexer', registry),
      connectorKeys: sharedKeys('connector', writer),
      stageKeys: sharedKeys('stage', writer),
      ...Object.fromEntries(entries.map((entry) => [`${entry.kind}.${entry.name}`, parametersOf(entry, writer)])),
    },
  };
}

const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] };

const PIPELINE: JsonSchema = {
  type: 'object',
  required: ['name', 'stages'],
  properties: {
    name: { type: ['string', 'number', 'boolean'], description: 'The name by which connectors refer to the pipeline.' },
    stages: {
      ...listOf({ $ref: '#/$defs/stage' }),
      description: 'The stages that process each document, in this order.',
    },
    threads: {
      type: ['number', 'string', 'null'],
      minimum: 1,
      maximum: MAX_THREADS,
      description: 'The number of threads that run the stages. Defaults to worker.threads.',
    },
  },
};

const DOCUMENT: JsonSchema = { type: ['object', 'string'], required: ['id'] };

const FAILURE: JsonSchema = {
  type: 'object',
  required: ['id'],
  properties: { id: TEXT, at: TEXT, code: TEXT, message: TEXT },
  additionalProperties: false,
};

const TEST: JsonSchema = {
  type: 'object',
  required: ['in'],
  anyOf: [{ required: ['out'] }, { required: ['dropped'] }, { required: ['failed'] }],
  properties: {
    name: { ...TEXT, description: 'The name of the test in reports. `--filter` selects tests by name.' },
    pipeline: { ...TEXT, description: 'The pipeline to test. Optional if the config has only one pipeline.' },
    in: { ...oneOrMore(DOCUMENT), description: 'The documents that enter the pipeline.' },
    out: {
      ...oneOrMore(DOCUMENT),
      description: 'The documents that leave the pipeline, in order: children before their parent.',
    },
    dropped: { ...oneOrMore(TEXT), description: 'The ids of the documents that the pipeline drops.' },
    failed: {
      ...oneOrMore({ anyOf: [TEXT, FAILURE] }),
      description:
        'The documents that fail: their ids, or objects with the stage (at), the error code and a part of the message.',
    },
    ignore: { ...listOf(TEXT), description: 'Fields that are not compared. run_id never is.' },
  },
  additionalProperties: false,
};

function oneOrMore(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'array', items: schema }] };
}

/** Returns the schema of a connector or stage in a list. The class decides which other keys are allowed. */
function component(kind: 'connector' | 'stage', registry: Registry): JsonSchema {
  return {
    type: 'object',
    required: ['class'],
    properties: { class: { $ref: `#/$defs/${kind}Class` } },
    allOf: registry.list(kind).map((entry) => ({
      if: { properties: { class: namesOf(entry, registry) }, required: ['class'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: `#/$defs/${kind}.${entry.name}` },
    })),
  };
}

/** Returns the schema of `class` for a kind. The short names are first, because editors offer them in this order. */
function classNames(kind: ComponentKind, registry: Registry): JsonSchema {
  const entries = registry.list(kind);
  const older = RENAMED_CLASSES.filter((each) => each.kind === kind).map(({ from }) => from);
  const aliases = [...entries.flatMap((entry) => entry.aliases), ...older];
  return {
    description: `The ${kind}, by its name, or a class of a module: ./my-${kind}.js#My${kind[0]?.toUpperCase()}${kind.slice(1)}.`,
    anyOf: [
      ...entries.map(({ name, description }) => ({
        const: name,
        ...(description === undefined ? {} : { description }),
      })),
      ...(aliases.length === 0 ? [] : [{ enum: aliases, deprecated: true, description: 'A class name of Lucille.' }]),
      { type: 'string', pattern: '.#.' },
    ],
  };
}

/** Returns the schema of the names of a component. A custom component can also be named with its module. */
function namesOf({ name, aliases, module }: CatalogEntry, registry: Registry): JsonSchema {
  if (registry.isBuiltIn(module)) return { enum: [name, ...aliases] };
  const names = [...[name, ...aliases].map(escapeRegExp), `.+#${escapeRegExp(name)}`];
  return { type: 'string', pattern: `^(${names.join('|')})$` };
}

function sharedKeys(kind: 'connector' | 'stage', writer: SchemaWriter): JsonSchema {
  const { properties, ...rest } = writer.object(commonParameters[kind] as TObject) as {
    properties: Record<string, JsonSchema>;
  };
  const policy = properties['conditionPolicy'];
  const conditions = properties['conditions'];
  return {
    ...rest,
    properties: {
      ...properties,
      // The schema that refers to this one has already checked the class.
      class: {},
      ...(conditions === undefined
        ? {}
        : { conditions: { ...conditions, ...orNull(listOf({ $ref: '#/$defs/condition' })) } }),
      ...(policy === undefined
        ? {}
        : {
            conditionPolicy: {
              ...policy,
              type: undefined,
              anyOf: [{ enum: ['all', 'any', null] }, { type: 'string', pattern: anyCase(['all', 'any']) }],
            },
          }),
    },
  };
}

const GROUPS: Readonly<Record<(typeof GROUP_KEYS)[number], string>> = {
  and: 'All of these conditions are true.',
  or: 'At least one of these conditions is true.',
  not: 'This condition is false.',
};

/** Returns the schema of a condition on fields, or of a group of conditions. */
function conditionSchema(writer: SchemaWriter): JsonSchema {
  const condition = { $ref: '#/$defs/condition' };
  const { properties, ...rest } = writer.object(conditionParameters) as { properties: Record<string, JsonSchema> };
  const groups = GROUP_KEYS.map((key) => [
    key,
    { ...(key === 'not' ? condition : listOf(condition)), description: GROUPS[key] },
  ]);
  return {
    type: 'object',
    // All keys are listed here, so that an editor offers them before the kind of condition is clear.
    properties: { ...properties, ...Object.fromEntries(groups) },
    additionalProperties: false,
    if: { anyOf: GROUP_KEYS.map((key) => ({ required: [key] })) },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { maxProperties: 1 },
    else: { required: rest['required' as keyof typeof rest] },
  };
}

function parametersOf(entry: CatalogEntry, writer: SchemaWriter): JsonSchema {
  const { kind, fields, schema, description } = entry;
  const common = Object.keys(commonParameters[kind]?.properties ?? {});
  const shared = common.map((key) => [key, { $ref: `#/$defs/${kind}Keys/properties/${key}` }] as const);
  return {
    ...withOlderNames(entry, writer.object(schema, descriptionsOf(fields), Object.fromEntries(shared))),
    ...(description === undefined ? {} : { description }),
  };
}

/** Adds the names of older releases, which are deprecated. One of them may take the place of a required parameter. */
function withOlderNames({ kind, name, block }: CatalogEntry, parameters: JsonSchema): JsonSchema {
  const older = olderNamesOf(kind, name, block).filter(({ instead }) => instead === undefined);
  if (older.length === 0) return parameters;
  const { properties = {}, required = [] } = parameters as { properties?: object; required?: readonly string[] };
  const named = older.flatMap(({ from, to, last, conversion }) => {
    const names = conversion === 'field-mapping' ? [from, 'dest'] : [from.split('.')[0] ?? ''];
    const says = to === undefined ? 'without effect' : `now ${to}`;
    const description = `A name of Lucille ${last} and older, ${says}.`;
    return names.map((key) => [key, { deprecated: true, description }] as const);
  });
  const choices = required.map((key) => [key, ...older.filter(({ to }) => to === key).map(({ from }) => from)]);
  const several = choices.filter((names) => names.length > 1);
  return {
    ...parameters,
    properties: { ...Object.fromEntries(named), ...properties },
    required: choices.filter((names) => names.length === 1).flat(),
    ...(several.length === 0
      ? {}
      : { allOf: several.map((names) => ({ anyOf: names.map((one) => ({ required: [one] })) })) }),
  };
}

/** Returns the schema of the block `indexer`. A null value counts as absent. `class` overrides `type`. */
function indexerBlock(writer: SchemaWriter, indexers: readonly CatalogEntry[], registry: Registry): JsonSchema {
  const { properties, ...rest } = writer.object(indexerSettings) as { properties: Record<string, JsonSchema> };
  const types = indexers.filter((entry) => entry.type !== undefined);
  return {
    description: 'Where the documents go.',
    ...rest,
    properties: {
      ...properties,
      class: { ...orNull(classNames('indexer', registry)), description: properties['class']?.['description'] },
      maxRetries: { ...properties['maxRetries'], minimum: 1 },
    },
    dependentRequired: Object.fromEntries([
      ...PAIRS.flatMap(([a, b]) => [
        [a, [b]],
        [b, [a]],
      ]),
      ...RETRY_KEYS.map((key) => [key, ['maxRetries']]),
    ]),
    if: WITHOUT_CLASS,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      required: ['type'],
      properties: {
        type: {
          anyOf: [
            ...types.map(({ type, description }) => ({
              const: type,
              ...(description === undefined ? {} : { description }),
            })),
            { type: 'string', pattern: anyCase(types.map(({ type }) => type as string)) },
          ],
        },
      },
    },
  };
}

const WITHOUT_CLASS: JsonSchema = { properties: { class: { type: 'null' } } };

/**
 * Returns the schema of the block of an indexer. The block is checked only if the config selects this indexer.
 * Otherwise any content is allowed, as for other top-level keys.
 */
function blockOf(entry: CatalogEntry, indexers: readonly CatalogEntry[], registry: Registry): JsonSchema[] {
  const { name, type, block, schema } = entry;
  if (block === undefined) return [];
  const required = requiredKeys(schema).length > 0;
  const first = indexers.find((other) => other.type?.toLowerCase() === type?.toLowerCase());
  const byType =
    type === undefined || first !== entry
      ? []
      : [
          {
            ...WITHOUT_CLASS,
            allOf: [{ properties: { type: { type: 'string', pattern: anyCase([type]) } } }],
            required: ['type'],
          },
        ];
  const parameters = { $ref: `#/$defs/indexer.${name}` };
  return [
    {
      if: {
        properties: {
          indexer: {
            type: 'object',
            anyOf: [{ properties: { class: namesOf(entry, registry) }, required: ['class'] }, ...byType],
          },
        },
        required: ['indexer'],
      },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        properties: { [block]: required ? parameters : { if: { type: 'null' }, else: parameters } },
        ...(required ? { required: [block] } : {}),
      },
    },
  ];
}

/** Adds the name of the block to the schema, so that editors offer it before an indexer is selected. */
function mentionBlock({ name, block }: CatalogEntry): [string, JsonSchema][] {
  return block === undefined ? [] : [[block, { description: `The parameters of ${name}.` }]];
}

/**
 * Returns a pattern that matches one of several texts in any letter case. JSON Schema patterns have no flag for this.
 */
function anyCase(texts: readonly string[]): string {
  const letters = (text: string) =>
    Array.from(text, (c) => (/[a-z]/i.test(c) ? `[${c.toLowerCase()}${c.toUpperCase()}]` : escapeRegExp(c))).join('');
  return `^(${texts.map(letters).join('|')})$`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
