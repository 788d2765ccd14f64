import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const trouble = fc.oneof(
  fc.record({ kind: fc.constantFrom('throw', 'drop', 'children'), every: fc.integer({ min: 2, max: 7 }) }),
  fc.record({ kind: fc.constantFrom('wait', 'concurrent'), every: fc.integer({ min: 20, max: 60 }) }),
);

const scenario = fc.record({
  count: fc.integer({ min: 0, max: 3000 }),
  pad: fc.constantFrom(0, 0, 3000),
  failAfter: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
  stages: fc.array(trouble, { maxLength: 4 }),
  threads: fc.integer({ min: 1, max: 3 }),
  batchSize: fc.integer({ min: 1, max: 500 }),
  stream: fc.boolean(),
  failIds: fc.option(fc.constantFrom('3', '-s01'), { nil: undefined }),
  throwFrom: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  stopAfterMillis: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
});

let files = 0;

it('gives every document one end, and sends none twice, whatever fails and whenever it is stopped', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ count, pad, failAfter, stages, threads, batchSize, stream, ...rest }) => {
      const path = `${harness.directory}/accounts-${++files}`;
      const option = (name: string, value: unknown) => (value === undefined ? '' : `, ${name}: ${value}`);
      const config = configOf({
        connector: `class: CountConnector, count: ${count}, pad: ${pad}${option('failAfter', failAfter)}`,
        stages: stages
          .map(({ kind, every }, i) => `{class: Trouble, kind: ${kind}, every: ${every}, tag: s${i}}`)
          .join(),
        indexer: `class: BatchFileIndexer, batchSize: ${batchSize}`,
        rest: `worker { threads: ${threads} }
          batchfile { path: "${path}", stream: ${stream}${option('failIds', rest.failIds)}${option('throwFrom', rest.throwFrom)} }`,
      });
      const run = harness.start(config);
      if (rest.stopAfterMillis !== undefined) setTimeout(() => run.stop('CANCELLED'), rest.stopAfterMillis);
      const result = await run.done;
      const counts = accountsOf(result);
      expect(counts.published).toBeLessThanOrEqual(count);
      const sent = read(path);
      expect(new Set(sent).size, 'a document was sent twice').toBe(sent.length);
      // Written documents are those that succeeded, and those that the destination refused by their id.
      expect(sent.length).toBeGreaterThanOrEqual(counts.succeeded);
      expect(sent.length).toBeLessThanOrEqual(counts.succeeded + counts.failed);
      const inputs = sent.filter((id) => !id.includes('-')).map(Number);
      expect(inputs, 'documents overtook each other').toEqual(inputs.toSorted((a, b) => a - b));
    }),
    { numRuns: 25 },
  );
});

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split(/\s+/)
      .filter((id) => id !== '');
  } catch {
    // A run that was stopped before the indexer was connected has no file.
    return [];
  }
}
