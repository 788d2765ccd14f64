import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@lancedb/lancedb';
import { afterAll, describe, expect, it } from 'vitest';
import {
  byId,
  DELETES,
  EngineRuns,
  type EngineUnderTest,
  type Fields,
  lastOf,
  numbered,
  outcome,
  QUICK,
  versions,
} from './engine-runs.ts';
import { describeFamilies } from './family-conformance.ts';
import { describeWriting } from './writing-conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-lancedb-'));
afterAll(() => rmSync(folder, { recursive: true }));
let tables = 0;

const FIELDS =
  'n_i: integer, d_d: number, b_b: integer, s_s: text, t_s: text, del_s: text, gone_s: text, ss_ss: texts, parent_s: text';

const engine: EngineUnderTest = {
  config: (url, table, settings, more) => `indexer { type: "LanceDB", ${settings} }
    lancedb { path: "${url}", table: "${table}", vectorField: v, dimensions: 3, fields { ${FIELDS} }, ${more} }`,
  create: async () => `t${++tables}`,
  contents: async (table) => byId(await rows(table)),
};

/** Returns the rows of a table, without nulls. */
async function rows(name: string): Promise<Fields[]> {
  const connection = await connect(folder);
  const table = await connection.openTable(name);
  const found = await table.query().toArray();
  connection.close();
  return found.map((row) =>
    JSON.parse(
      JSON.stringify({ ...row, b_b: row.b_b === null ? null : row.b_b === 1n }, (_, value) =>
        value === null ? undefined : typeof value === 'bigint' ? Number(value) : (value?.toArray?.() ?? value),
      ),
    ),
  );
}

describe('LanceDBIndexer', () => {
  const runs = new EngineRuns(engine);
  afterAll(() => runs.close());
  const send = (table: string, documents: readonly Fields[], settings = '', more = '') =>
    runs.send(folder, table, documents, `${QUICK}, ${settings}`, more);

  describeWriting(engine, runs, () => folder);
  describeFamilies(engine, () => folder, false);

  it('keeps the last version of each document, in all batches', async () => {
    const table = await engine.create();
    const documents = versions(400);
    expect(outcome(await send(table, documents, `batchSize: 50, ${DELETES}`))).toMatchObject({ failed: {} });
    expect(await engine.contents(table)).toEqual(lastOf(documents));
  });

  it('fails only the documents that do not fit the table, with the column', async () => {
    const table = await engine.create();
    const documents: Fields[] = [
      { id: 'a', v: [1, 2, 3], n_i: 9_007_199_254_740_991, other: 'not stored' },
      { id: 'short', v: [1, 2] },
      { id: 'words', v: ['a', 'b', 'c'] },
      { id: 'half', n_i: 1.5 },
      { id: 'flag', b_b: 'yes' },
      { id: 'b', t_s: { an: 'object' }, ss_ss: 'one' },
    ];
    expect(outcome(await send(table, documents)).failed).toEqual({
      short: 'The field v does not fit its column: it has 2 values, not 3',
      words: 'The field v does not fit its column: "a" is not a number',
      half: 'The field n_i does not fit its column: 1.5 is not an integer',
      flag: 'The field b_b does not fit its column: "yes" is not an integer',
    });
    const { a, b } = await engine.contents(table);
    expect([a?.v, b?.t_s, b?.ss_ss]).toEqual([[1, 2, 3], '{"an":"object"}', ['one']]);
  });

  it('lets two runs write to one table at the same time', async () => {
    const table = await engine.create();
    await send(table, [{ id: 'first' }]);
    const others = new EngineRuns(engine);
    const results = await Promise.all([
      send(table, numbered(300), 'batchSize: 50'),
      others.send(folder, table, [{ id: 'other' }], QUICK),
    ]);
    await others.close();
    expect(results.map(({ status, counts: { failed } }) => [status, failed])).toEqual([
      ['SUCCEEDED', 0],
      ['SUCCEEDED', 0],
    ]);
    expect(await rows(table)).toHaveLength(302);
  });

  it('reports at the start that an existing table lacks a column of the config, or has vectors of another length', async () => {
    const table = await engine.create();
    await send(table, numbered(1));
    const missing = await send(table, numbered(1), '', 'fields { extra: text }');
    expect(missing).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('it has no column extra, which lancedb.fields names'),
    });
    const length = await send(table, numbered(1), '', 'dimensions: 4');
    expect(length).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('the vectors in v have 3 values, but lancedb.dimensions is 4'),
    });
  });

  it('reports a missing table at the start, and a config that names no column', async () => {
    const config = {
      ...engine,
      config: (path: string, table: string) => `indexer { type: "LanceDB", batchSize: 1000 }
      lancedb { path: "${path}", table: "${table}", vectorField: v }`,
    };
    const other = new EngineRuns(config);
    const { status, message } = await other.send(folder, 'none', [{ id: 'a' }]);
    await other.close();
    expect([status, message]).toEqual(['FAILED', expect.stringContaining(`LanceDB has no table none in ${folder}`)]);
  });
});
