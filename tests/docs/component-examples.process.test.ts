import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { type JsonObject, readCatalog, readJson } from '@headrace/engine';
import { makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { repository } from '../cli/headrace.ts';

interface StageExample {
  readonly description: string;
  readonly params: Record<string, unknown>;
  readonly documents: readonly Record<string, unknown>[];
  readonly output: readonly Record<string, unknown>[];
  /** Marks an example whose values are random: only the names of the fields are compared. */
  readonly random?: boolean;
  /**
   * A requirement of the example, such as a server. Only the parameters of such an example are checked here; the test
   * of the stage runs similar ones.
   */
  readonly needs?: string;
}

type StageClass = Parameters<typeof runStage>[0];

const pluginCatalogs = readdirSync(join(repository, 'plugins'))
  .map((plugin) => join(repository, 'plugins', plugin, 'dist/catalog.jsonl'))
  .filter((catalog) => existsSync(catalog))
  .map((catalog) => pathToFileURL(catalog).href);

// The examples of connectors and indexers are the configs in examples/, which tests/cli/examples.process.test.ts runs.
for (const { kind, name, module, examples = [] } of [catalogUrl, ...pluginCatalogs].flatMap(readCatalog)) {
  describe(`examples of ${name}`, () => {
    it('exist', () => expect(examples.length).toBeGreaterThan(0));

    if (kind !== 'stage') return;
    for (const { description, params, documents, output, random, needs } of examples as StageExample[]) {
      it(description, async () => {
        const Class = ((await import(module)) as Record<string, StageClass>)[name] as StageClass;
        if (needs !== undefined) return void makeStage(Class, params);
        const outcomes = await runStage(Class, params, documents);
        expect(outcomes.flatMap(({ error }) => error ?? [])).toEqual([]);
        const actual = outcomes.flatMap((outcome) => outcome.documents.map(readJson)) as JsonObject[];
        const expected = output.map((document) => readJson(JSON.stringify(document))) as JsonObject[];
        if (random === true) expect(actual.map(fieldNames)).toEqual(expected.map(fieldNames));
        else expect(actual).toEqual(expected);
      });
    }
  });
}

function fieldNames(document: JsonObject): string[] {
  return [...document.keys()].sort();
}
