import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

/** Runs until two threads have met, and returns the numbers of the threads that processed documents. */
async function threadsThatMet(runId: string): Promise<Set<number>> {
  const path = `${harness.directory}/${runId}.jsonl`;
  const result = await harness.run(
    configOf({
      connector: 'class: CountConnector, count: 3000, pad: 2000',
      stages: '{class: Meet, threads: 2}, {class: DeleteFields, fields: [pad]}',
      indexer: 'type: JSONLines',
      rest: `jsonl { path: "${path}" }, worker { threads: 2 }`,
    }),
    { runId },
  );
  expect(result).toMatchObject({ status: 'SUCCEEDED', counts: { succeeded: 3000, failed: 0 } });
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return new Set(lines.map((line) => (JSON.parse(line) as { thread: number }).thread));
}

it('the stages of later threads get the data that the first thread shares, separately for each run', async () => {
  expect(await threadsThatMet('first')).toEqual(new Set([1, 2]));
  expect(await threadsThatMet('second')).toEqual(new Set([1, 2]));
});
