import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
const files = `${harness.directory}/files`;
beforeAll(() => {
  mkdirSync(files);
  for (let i = 0; i < 40; i++) writeFileSync(`${files}/${i}.txt`, `${i}`);
});
afterAll(() => harness.close());

it.each([
  ['documents', 'class: CountConnector, count: 40'],
  ['files', `class: FileConnector, paths: ["${files}"]`],
])('a slow stage processes few %s in several threads', async (_, connector) => {
  // The stage waits until two threads have met, so the run fails if only one thread gets documents.
  const config = configOf({ connector, stages: '{class: Meet, threads: 2}', rest: 'worker { threads: 2 }' });
  expect(await harness.run(config)).toMatchObject({ status: 'SUCCEEDED', counts: { succeeded: 40, failed: 0 } });
});
