import { readdirSync, readFileSync } from 'node:fs';
import { type JsonObject, readJson, type Value, writeValue } from '@headrace/engine';
import { RefusedParameters, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';

type StageClass = Parameters<typeof runStage>[0];

/**
 * Cases that follow from what the text of the reference says, beside the recorded ones: a stage with its parameters,
 * documents, and for each the result (a list of documents where there are children), null where it fails. `refused`
 * means parameters that validation does not let pass; it may refuse those too with which every document would fail.
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

describe('what the text of the reference says', () => {
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
