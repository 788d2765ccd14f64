import { readdirSync, readFileSync } from 'node:fs';
import { type JsonObject, readJson, type Value, writeValue } from '@headrace/engine';
import { RefusedParameters, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';

type StageClass = Parameters<typeof runStage>[0];

/**
 * Test cases that follow from the documentation of the reference, in addition to the recorded cases.
 *
 * A case has a stage with its parameters, and documents. `results` has one result for each document: the document, a
 * list of documents if there are children, or null if the document fails. `refused` means that validation refuses the
 * parameters. Validation may also refuse parameters with which every document would fail.
 */
const cases = readFileSync(new URL('reference-cases.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => readJson(line) as JsonObject);

const classes = new Map<string, StageClass>();
for (const file of readdirSync(import.meta.dirname)) {
  if (!file.endsWith('.ts') || file.includes('.test.')) continue;
  const exports = (await import(/* @vite-ignore */ new URL(file, import.meta.url).href)) as Record<string, StageClass>;
  for (const [name, Class] of Object.entries(exports)) classes.set(name, Class);
}

describe('cases from the documentation of the reference', () => {
  it.each(cases.map((one) => [`${one.get('stage')}: ${one.get('about')}`, one] as const))('%s', async (_, one) => {
    const Class = classes.get(one.get('stage') as string) as StageClass;
    const params = JSON.parse(writeValue(one.get('params') as Value)) as Record<string, unknown>;
    if (one.get('refused') === true) {
      await expect(runStage(Class, params, [])).rejects.toThrow(RefusedParameters);
      return;
    }
    const results = one.get('results') as Value[];
    const documents = (one.get('documents') as Value[]).map(writeValue);
    try {
      const outcomes = await runStage(Class, params, documents);
      expect(
        outcomes.map(({ documents: out, error }) => (error === undefined ? single(out.map(readJson)) : null)),
      ).toEqual(results);
    } catch (error) {
      if (!(error instanceof RefusedParameters)) throw error;
      expect(results.every((result) => result === null)).toBe(true);
    }
  });
});

function single(documents: Value[]): Value {
  return documents.length === 1 ? (documents[0] as Value) : documents;
}
