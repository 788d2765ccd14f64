import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedCatalogs } from '@headrace/components';
import { afterAll, describe, expect, it } from 'vitest';
import { noSmallDisk, SmallDisk } from '../service/small-disk.ts';
import { configOf, RunHarness } from './run-harness.ts';

/** Checks that documents of a file that cannot be read without its end count as succeeded only if the file is complete. */
describe('a run that writes a Parquet file', () => {
  const harness = new RunHarness({ registry: { catalogs: installedCatalogs() } });
  const folder = mkdtempSync(join(tmpdir(), 'headrace-incomplete-'));
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  const indexer = (path: string, rowGroupSize = 100) => ({
    indexer: 'type: Parquet',
    rest: `parquet { path: "${path}", columns { id: text, n: integer, pad: text }, compression: none, rowGroupSize: ${rowGroupSize} }`,
  });
  const reason = (text: string) => ({
    failure: { code: 'HR_INDEXER_FINISH', message: expect.stringContaining(text) },
  });

  it('counts all documents as succeeded when the file is complete', async () => {
    const path = join(folder, 'complete.parquet');
    // Documents that wait for the end of the file are not pending: the source must not wait for them.
    const { rest, ...parts } = indexer(path);
    const limits = 'publisher { maxPendingDocs: 10, queueCapacity: 10 }';
    const connector = 'class: CountConnector, count: 1000';
    const result = await harness.run(configOf({ connector, ...parts, rest: `${rest}\n${limits}` }));
    expect(result).toMatchObject({ status: 'SUCCEEDED', counts: { published: 1000, succeeded: 1000, failed: 0 } });
    expect(result.connectors).toMatchObject([{ counts: { succeeded: 1000, failed: 0 } }]);
    expect(result.message).toContain('1000 docs succeeded. 0 docs failed.');
    expect(readFileSync(path).subarray(-4).toString()).toBe('PAR1');
  });

  it('fails all documents if its connector fails, and keeps the previous file', async () => {
    const path = join(folder, 'previous.parquet');
    writeFileSync(path, 'previous');
    const connector = 'class: CountConnector, count: 1000, failAfter: 500';
    const result = await harness.run(configOf({ connector, ...indexer(path) }));
    expect(result).toMatchObject({ status: 'FAILED', counts: { published: 500, succeeded: 0, failed: 500 } });
    expect(result.connectors).toMatchObject([{ counts: { succeeded: 0, failed: 500 } }]);
    expect(result.failures).toMatchObject([reason('the source broke after 500 documents')]);
    expect(readFileSync(path, 'utf8')).toBe('previous');
    expect(existsSync(`${path}.partial`)).toBe(false);
  });

  it.each([
    ['fails', 'failAfter: 5', 5],
    ['ends the thread of the run', 'failIn: exit', 0],
  ])('fails the documents of all connectors if the last one %s', async (_, parameter, published) => {
    const { rest } = indexer(join(folder, 'several.parquet'));
    const result = await harness.run(`
      connectors: [
        { name: a, pipeline: p, class: CountConnector, count: 20 }
        { name: b, pipeline: p, class: CountConnector, count: 20, ${parameter} }
      ]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: Parquet }
      ${rest}`);
    const failed = 20 + published;
    expect(result).toMatchObject({ status: 'FAILED', counts: { published: failed, succeeded: 0, failed } });
    expect(result.connectors).toMatchObject([
      { counts: { succeeded: 0, failed: 20 } },
      { counts: { succeeded: 0, failed: published } },
    ]);
  });

  it('counts one failed document, not all, if the others are written', async () => {
    const path = join(folder, 'one-failed.parquet');
    const { rest, ...parts } = indexer(path);
    const connector = 'class: CountConnector, count: 10';
    const stages =
      '{ class: SetStaticValues, staticValues { n: "no number" }, conditions: [{ fields: [n], values: [3] }] }';
    const result = await harness.run(configOf({ connector, stages, ...parts, rest }));
    expect(result).toMatchObject({ status: 'SUCCEEDED', counts: { published: 10, succeeded: 9, failed: 1 } });
  });

  it('fails all documents if the destination becomes a folder before the end', async () => {
    const path = join(folder, 'refused.parquet');
    // The folder is created by a stage, after the indexer has checked its path.
    const stages = `{ class: MakeFolder, path: "${path}" }`;
    const connector = 'class: CountConnector, count: 10';
    const result = await harness.run(configOf({ connector, stages, ...indexer(path) }));
    expect(result).toMatchObject({ status: 'FAILED', counts: { published: 10, succeeded: 0, failed: 10 } });
    expect(result.failures).toMatchObject([reason(`Cannot write to ${path}`)]);
    expect(result.message).toContain('0 docs succeeded. 10 docs FAILED.');
    expect(existsSync(`${path}.partial`)).toBe(false);
  });

  it.skipIf(noSmallDisk() !== undefined)('fails all documents if the disk becomes full', async () => {
    const disk = new SmallDisk();
    const path = join(disk.path, 'large.parquet');
    const connector = 'class: CountConnector, count: 10000, pad: 4000';
    // In a larger row group, equal texts are stored once.
    const result = await harness.run(configOf({ connector, ...indexer(path, 1) }));
    expect(result.status).toBe('FAILED');
    const { published, succeeded, failed } = result.counts;
    expect([succeeded, failed]).toEqual([0, published]);
    const reasons = harness.failures.filter(({ runId }) => runId === harness.lastRunId).map(({ kept }) => kept.failure);
    expect(reasons.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^The output was not completed and has no documents: .*ENOSPC/),
    );
    expect(result.message).toContain('ENOSPC');
    expect([existsSync(path), existsSync(`${path}.partial`)]).toEqual([false, false]);
  });
});
