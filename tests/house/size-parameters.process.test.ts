import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { engineBlocks, indexerSettings, readCatalog, type TSchema } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { root, workspacePackages } from './repository.ts';

const AGE = 'it selects entries of the cache by their age';
const CHECK = 'it is compared with a count at the end of a run';
const CHUNKS = 'the text of a document has a limit, and so have chunks that are merged';
const COUNT = 'it ends the reading or the creation of documents, which do not wait for each other';
const DIVIDES = 'it divides or cuts a text that exists';
const DISTRIBUTED = 'only distributed runs read it, which the command line starts';
const IMAGE = 'it selects a part of an image that exists';
const SKIPPED = 'skipped lines are not kept';
const LINES = 'a record has a limit of 64 MiB';
const NO_EFFECT = 'it is accepted without effect';
const RANGE = 'it is the end of a range of random numbers';
const SERVER = 'it is a setting of the server';

/**
 * All numbers that need neither a maximum in their schema nor a limit of the policy, and why: they do not decide how much
 * memory, disk or time a config needs.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'CSVConnector maxLinesPerCell': LINES,
  'CSVConnector skipLines': SKIPPED,
  'FileConnector maxLinesPerCell': LINES,
  'FileConnector skipLines': SKIPPED,
  'ApplyFileHandlers maxLinesPerCell': LINES,
  'ApplyFileHandlers skipLines': SKIPPED,
  'FileConnector runsBeforeExpiration': 'it is compared with a number of runs',
  'FileConnector pathLength': NO_EFFECT,
  'KafkaConnector maxMessages': COUNT,
  'SequenceConnector numDocs': COUNT,
  'SequenceConnector startWith': 'it is the first number of a sequence',
  'SleepConnector duration': 'the run has a time limit',
  'AddRandomDouble rangeStart': RANGE,
  'AddRandomDouble rangeEnd': RANGE,
  'AddRandomInt rangeStart': RANGE,
  'AddRandomInt rangeEnd': RANGE,
  'AddRandomNestedField rangeStart': RANGE,
  'AddRandomNestedField rangeEnd': RANGE,
  'ChunkText lengthToSplit': DIVIDES,
  'ChunkText preMergeMinChunkLen': DIVIDES,
  'ChunkText preMergeMaxChunkLen': DIVIDES,
  'ChunkText characterLimit': DIVIDES,
  'ChunkText chunksToMerge': CHUNKS,
  'ChunkText chunksToOverlap': CHUNKS,
  'OpenAIEmbed maxTokens': DIVIDES,
  'ChunkText overlapPercentage': 'a chunk gets at most its two neighbours',
  'CreateChildrenStage numChildren': COUNT,
  'CreateChildrenStage failAfter': COUNT,
  'CreateChildrenStage dropChild': 'it is the number of one child',
  'CreateStaticTeaser maxLength': DIVIDES,
  'TruncateField maxSize': DIVIDES,
  'DetectLanguage minLength': 'it selects texts that exist',
  'DetectLanguage maxLength': DIVIDES,
  'FetchUri maxSize': 'it can only lower the limit of 256 MiB',
  'FetchUri maxAgeDays': AGE,
  'OpenAIEmbed maxAgeDays': AGE,
  'JlamaEmbed maxAgeDays': AGE,
  'LocalEmbed maxAgeDays': AGE,
  'TextExtractor maxAgeDays': AGE,
  'OpenAIEmbed dimensions': 'the answer of the server has a limit',
  'ElasticsearchIndexer maxFailed': CHECK,
  'ElasticsearchIndexer min': CHECK,
  'ElasticsearchIndexer max': CHECK,
  'ElasticsearchIndexer maxMorePercent': CHECK,
  'OpenSearchIndexer maxFailed': CHECK,
  'OpenSearchIndexer min': CHECK,
  'OpenSearchIndexer max': CHECK,
  'OpenSearchIndexer maxMorePercent': CHECK,
  'PostgresIndexer maxFailed': CHECK,
  'PostgresIndexer min': CHECK,
  'PostgresIndexer max': CHECK,
  'PostgresIndexer maxMorePercent': CHECK,
  'SolrIndexer maxFailed': CHECK,
  'SolrIndexer min': CHECK,
  'SolrIndexer max': CHECK,
  'SolrIndexer maxMorePercent': CHECK,
  'SolrIndexer shards': SERVER,
  'SolrIndexer replicas': SERVER,
  'ChunkPassages maxTokens': DIVIDES,
  'ChunkPassages maxCharacters': DIVIDES,
  'ChunkPassages overlap': 'it is at most half of a passage',
  'ApplyOCR x': IMAGE,
  'ApplyOCR y': IMAGE,
  'ApplyOCR width': IMAGE,
  'ApplyOCR height': IMAGE,
  'ParquetConnector limit': COUNT,
  'ParquetConnector start': 'it begins the reading later',
  'TextExtractor textContentLimit': DIVIDES,
  'TextExtractor poolSize': NO_EFFECT,
  'TextExtractor serverPulseMillis': NO_EFFECT,
  'indexer retryableStatusCodes': 'it is a list of statuses',
  'worker maxRetries': DISTRIBUTED,
  'runner maxFailures': 'it ends a run earlier',
  'kafka maxPollIntervalSecs': DISTRIBUTED,
  'kafka maxRequestSize': DISTRIBUTED,
  'kafka metadataMaxAgeMs': DISTRIBUTED,
  'kafka partitions': DISTRIBUTED,
  'kafka stallTimeoutSecs': DISTRIBUTED,
};

interface NumberParameter {
  readonly name: string;
  readonly schema: {
    readonly maximum?: number;
    readonly exclusiveMaximum?: number;
    readonly clamp?: { readonly maximum?: number };
    readonly cap?: unknown;
  };
}

/** Yields all numbers in a schema, at any depth, as `Class parameter`. */
function* numbersOf(owner: string, schema: unknown): Generator<NumberParameter> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {} } = schema as { properties?: Record<string, TSchema> };
  for (const [name, value] of Object.entries(properties)) {
    const { noEffect } = value as { noEffect?: boolean };
    if (isNumber(value) && noEffect !== true) yield { name: `${owner} ${name}`, schema: value };
  }
  for (const value of Object.values(schema)) yield* numbersOf(owner, value);
}

/** Returns true for a number, a list of numbers, and for a choice of types with a number. */
function isNumber(schema: unknown): boolean {
  const { type, items, anyOf = [] } = schema as { type?: string; items?: unknown; anyOf?: unknown[] };
  if (type === 'array') return items !== undefined && isNumber(items);
  return type === 'integer' || type === 'number' || anyOf.some(isNumber);
}

const catalogs = [
  catalogUrl,
  ...workspacePackages
    .map(({ path }) => join(root, path, 'dist/catalog.jsonl'))
    .filter((path) => existsSync(path))
    .map((path) => pathToFileURL(path).href),
];
const numbers = [
  ...catalogs.flatMap((url) => readCatalog(url).flatMap(({ name, schema }) => [...numbersOf(name, schema)])),
  ...numbersOf('indexer', indexerSettings),
  ...Object.entries(engineBlocks).flatMap(([block, schema]) => [...numbersOf(block, schema)]),
];
/** The numbers that have no limit. */
const unlimited = new Set(
  numbers
    .filter(
      ({ schema: { maximum, exclusiveMaximum, clamp, cap } }) =>
        (maximum ?? exclusiveMaximum ?? clamp?.maximum ?? cap) === undefined,
    )
    .map(({ name }) => name),
);

describe('a parameter that is a number', () => {
  it('has a limit in its schema or in the policy (capped), or is no size', () => {
    expect(numbers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['TextExtractor maxMemoryMb', 'RandomVector dimensions', 'ChunkText chunksToOverlap']),
    );
    const unknown = [...unlimited].filter((name) => HARMLESS[name] === undefined);
    expect(unknown, 'give it a limit, or list it as HARMLESS with a reason').toEqual([]);
  });

  it('is listed as harmless only if it has no limit', () => {
    expect(Object.keys(HARMLESS).filter((name) => !unlimited.has(name))).toEqual([]);
  });
});
