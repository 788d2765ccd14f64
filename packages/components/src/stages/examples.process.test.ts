import { readdirSync } from 'node:fs';
import { type JsonObject, readJson } from '@headrace/engine';
import { makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';

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

type StageClass = Parameters<typeof runStage>[0] & { readonly examples?: readonly StageExample[] };

for (const file of readdirSync(import.meta.dirname)) {
  if (!file.endsWith('.ts') || file.includes('.test.')) continue;
  const exports = (await import(`./${file}`)) as Record<string, StageClass>;
  for (const [name, Class] of Object.entries(exports)) {
    describe(`examples of ${name}`, () => {
      it('exist', () => expect(Class.examples?.length).toBeGreaterThan(0));

      for (const { description, params, documents, output, random, needs } of Class.examples ?? []) {
        it(description, async () => {
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
}

function fieldNames(document: JsonObject): string[] {
  return [...document.keys()].sort();
}
