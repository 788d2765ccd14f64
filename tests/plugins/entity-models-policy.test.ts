import { installedCatalogs } from '@headrace/components';
import { checkConfig, DEFAULT_POLICY, Registry, readConfigText, STRICT_POLICY } from '@headrace/engine';
import { expect, it } from 'vitest';
import { configOf, registrySource } from '../run/run-harness.ts';

/** The problems of an uploaded config that may read no files. */
async function problems(params: string): Promise<unknown[]> {
  const policy = { ...STRICT_POLICY, components: DEFAULT_POLICY.components };
  const registry = await Registry.open({ ...registrySource, catalogs: installedCatalogs(), policy });
  const { root } = readConfigText(
    configOf({ stages: `{ class: ApplyOpenNLPNameFinders, textField: text, ${params} }` }),
  );
  const found = await checkConfig(root as NonNullable<typeof root>, registry, { readFiles: false });
  return found.problems.map(({ code, path, message }) => [code, path, message]);
}

const refusal = (parameter: string, path: string) => [
  'HR_POLICY_REFUSED',
  `pipelines[0].stages[0].${parameter}`,
  `An uploaded config may not read ${path}: the policy allows no directory to read`,
];

it('the models of ApplyOpenNLPNameFinders are files only for the engine opennlp', async () => {
  expect(await problems('engine: compromise, models { people: person }')).toEqual([]);
  expect(await problems('engine: onnx, model: /folder, models { people: PER }')).toEqual([refusal('model', '/folder')]);
  expect(await problems('tokenizerPath: /tokens.bin, models { people: /person.bin }')).toContainEqual(
    refusal('tokenizerPath', '/tokens.bin'),
  );
  expect(await problems('tokenizerPath: "s3://x/t.bin", models { people: /person.bin }, s3 {}')).toContainEqual(
    refusal('models.people', '/person.bin'),
  );
});
