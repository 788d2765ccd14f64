import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { readCatalog, type TSchema } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { root, workspacePackages } from './repository.ts';

/** Parts of the names of numbers that decide how much memory, disk or time a config needs. */
const SIZE =
  /(?:mb|megabytes|kb|bytes|memory|size|capacity|pixels|dimensions|objects|terms|rows|lines\w*|characters|width|height|limit|length|pages|tokens|millis|ms)$/i;

/** Numbers with such a name that need no limit of the policy, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  'FetchUri maxSize': 'it can only lower the limit of 256 MiB',
  'OpenAIEmbed dimensions': 'the answer of the server has a limit',
  'ChunkPassages maxCharacters': 'it divides a text that exists',
  'ApplyOCR width': 'it selects a part of an image that exists',
  'ApplyOCR height': 'it selects a part of an image that exists',
  'TextExtractor poolSize': 'it is accepted without effect',
  'TruncateField maxSize': 'it makes values smaller',
  'CSVConnector maxLinesPerCell': 'a record has a limit of 64 MiB',
  'FileConnector maxLinesPerCell': 'a record has a limit of 64 MiB',
  'ApplyFileHandlers maxLinesPerCell': 'a record has a limit of 64 MiB',
  'ChunkText characterLimit': 'it cuts a text that exists',
  'CreateStaticTeaser maxLength': 'it cuts a text that exists',
  'TextExtractor textContentLimit': 'it cuts a text that exists',
  'ChunkPassages maxTokens': 'it divides a text that exists',
  'DetectLanguage minLength': 'it selects texts that exist',
  'DetectLanguage maxLength': 'it selects a part of a text that exists',
  'ParquetConnector limit': 'it ends the reading earlier',
  'FileConnector pathLength': 'it is accepted without effect',
  'TextExtractor serverPulseMillis': 'it is accepted without effect',
};

interface NumberParameter {
  readonly name: string;
  readonly schema: { readonly maximum?: number; readonly cap?: unknown };
}

/** Yields all numbers in a schema, at any depth, as `Class parameter`. */
function* numbersOf(owner: string, schema: unknown): Generator<NumberParameter> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {} } = schema as { properties?: Record<string, TSchema> };
  for (const [name, value] of Object.entries(properties)) {
    const { type, noEffect } = value as { type?: string; noEffect?: boolean };
    if ((type === 'integer' || type === 'number') && noEffect !== true)
      yield { name: `${owner} ${name}`, schema: value };
  }
  for (const value of Object.values(schema)) yield* numbersOf(owner, value);
}

const catalogs = [
  catalogUrl,
  ...workspacePackages
    .map(({ path }) => join(root, path, 'dist/catalog.jsonl'))
    .filter((path) => existsSync(path))
    .map((path) => pathToFileURL(path).href),
];
const numbers = catalogs.flatMap((url) => readCatalog(url).flatMap(({ name, schema }) => [...numbersOf(name, schema)]));
const sizes = numbers.filter(({ name }) => SIZE.test(name));

describe('a parameter that is a size', () => {
  it('is found by its name', () => {
    const names = sizes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['TextExtractor maxMemoryMb', 'RandomVector dimensions']));
    expect(Object.keys(HARMLESS).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('has a limit in its schema or in the policy (capped)', () => {
    const unlimited = sizes.filter(({ name, schema }) => {
      return schema.maximum === undefined && schema.cap === undefined && HARMLESS[name] === undefined;
    });
    expect(unlimited.map(({ name }) => name)).toEqual([]);
  });
});
