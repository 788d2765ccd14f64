import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

/** Generates single documents, or a file that is read in chunks and decoded to tables, with some invalid rows. */
const source = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), failAfter: fc.option(fc.integer({ min: 0, max: 3000 })) }),
  fc.record({ kind: fc.constant('csv' as const), badEvery: fc.integer({ min: 3, max: 2000 }) }),
);

const trouble = fc.oneof(
  fc.constant({ kind: 'table' as const, every: 1 }),
  fc.record({ kind: fc.constantFrom('throw', 'drop', 'children'), every: fc.integer({ min: 2, max: 7 }) }),
  fc.record({ kind: fc.constantFrom('wait', 'concurrent'), every: fc.integer({ min: 20, max: 60 }) }),
);

const scenario = fc.record({
  count: fc.integer({ min: 0, max: 3000 }),
  pad: fc.constantFrom(0, 0, 3000),
  source,
  stages: fc.array(trouble, { maxLength: 4 }),
  threads: fc.integer({ min: 1, max: 3 }),
  batchSize: fc.integer({ min: 1, max: 500 }),
  stream: fc.boolean(),
  queueCapacity: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined }),
  millis: fc.constantFrom(0, 0, 2),
  failIds: fc.option(fc.constantFrom('3', '-s01'), { nil: undefined }),
  throwFrom: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  maxFailures: fc.constantFrom(undefined, undefined, '0', '5', '5%', '40%'),
  stopAfterMillis: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
});

let files = 0;

it('every document is counted once and sent at most once, with any failures and at any time of a stop', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ count, pad, source, stages, threads, batchSize, stream, ...rest }) => {
      const path = `${harness.directory}/accounts-${++files}`;
      const option = (name: string, value: unknown) =>
        value === undefined || value === null ? '' : `, ${name}: ${value}`;
      const config = configOf({
        connector:
          source.kind === 'count'
            ? `class: CountConnector, count: ${count}, pad: ${pad}${option('failAfter', source.failAfter)}`
            : `class: CSVConnector, idField: id, path: "${writeCsv(path, count, pad, source.badEvery)}"`,
        stages: stages
          .map(({ kind, every }, i) =>
            kind === 'table'
              ? '{class: TrimWhitespace, fields: [pad]}'
              : `{class: Trouble, kind: ${kind}, every: ${every}, tag: s${i}}`,
          )
          .join(),
        indexer: `class: BatchFileIndexer, batchSize: ${batchSize}`,
        rest: `worker { threads: ${threads} }, publisher { ${option('queueCapacity', rest.queueCapacity).slice(1)} }
          runner { ${option('maxFailures', rest.maxFailures).slice(1)} }
          batchfile { path: "${path}", stream: ${stream}, millis: ${rest.millis}${option('failIds', rest.failIds)}${option('throwFrom', rest.throwFrom)} }`,
      });
      const run = harness.start(config);
      if (rest.stopAfterMillis !== undefined) setTimeout(() => run.stop('CANCELLED'), rest.stopAfterMillis);
      const result = await run.done;
      const counts = accountsOf(result);
      if (result.status === 'SUCCEEDED') expect(counts.published, 'a document was never counted').toBe(count);
      else expect(counts.published).toBeLessThanOrEqual(count);
      if (counts.succeeded === 0 && counts.failed > 0) expect(result.status).not.toBe('SUCCEEDED');
      const sent = read(path);
      expect(new Set(sent).size, 'a document was sent twice').toBe(sent.length);
      // The indexer wrote the succeeded documents, and documents that the destination rejected.
      expect(sent.length).toBeGreaterThanOrEqual(counts.succeeded);
      const uncertain = result.status !== 'SUCCEEDED' || rest.failIds !== undefined;
      expect(sent.length).toBeLessThanOrEqual(counts.succeeded + (uncertain ? counts.failed : 0));
      const inputs = sent.filter((id) => !id.includes('-')).map(Number);
      expect(inputs, 'documents overtook each other').toEqual(inputs.toSorted((a, b) => a - b));
    }),
    { numRuns: 25 },
  );
});

/** Writes rows of `id`, `n` and `pad`, with quotes and line breaks. One row in `badEvery` has an extra value. */
function writeCsv(path: string, count: number, pad: number, badEvery: number): string {
  const rows = Array.from({ length: count }, (_, i) =>
    i % badEvery === badEvery - 1 ? `${i},${i},a,b` : `${i},${i},"${'x'.repeat(pad)}\r\n"" é"`,
  );
  writeFileSync(`${path}.csv`, `id,n,pad\n${rows.join('\n')}\n`);
  return `${path}.csv`;
}

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split(/\s+/)
      .filter((id) => id !== '');
  } catch {
    // A run that stops before the indexer connects has no file.
    return [];
  }
}
