import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunHarness } from './run-harness.ts';

/** Checks that connectors do not mark documents as read if the destination did not accept them. */
describe('a destination that is not available', () => {
  const harness = new RunHarness();
  const folder = mkdtempSync(join(tmpdir(), 'headrace-undelivered-'));
  const updates: string[] = [];
  /** True if the destination accepts documents. */
  let takes = false;
  /** Simulates a Solr source with one result, and a destination that is not available at first. */
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    if (request.url?.startsWith('/solr/c/update') === true) updates.push(body);
    else if (request.url === '/sink' && !takes) response.statusCode = 503;
    const isFirst =
      `${request.url}${body}`.includes('cursorMark=*') || `${request.url}${body}`.includes('cursorMark=%2A');
    response.end(
      JSON.stringify({ responseHeader: {}, response: { docs: isFirst ? [{ id: '1' }] : [] }, nextCursorMark: 'end' }),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(async () => {
    server.close();
    await harness.close();
    rmSync(folder, { recursive: true });
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (connector: string, delivers: boolean) => {
    takes = delivers;
    return harness.run(`
      connectors: [{ name: c, pipeline: p, ${connector} }]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: HTTP, maxRetries: 1, retryWaitDurationMs: 1 }
      http { url: "${url()}/sink" }`);
  };

  it('skips postSQL', async () => {
    const file = join(folder, 'queue.db');
    const database = new DatabaseSync(file);
    database.exec('create table q (id text, done integer); insert into q values (1, 0), (2, 0), (3, 0)');
    const done = () => database.prepare('select count(*) as n from q where done = 1').get()?.['n'];
    const connector = `
      class: DatabaseConnector, driver: org.sqlite.JDBC, connectionString: "jdbc:sqlite:${file}"
      jdbcUser: "", jdbcPassword: "", idField: id
      sql: "select id from q where done = 0", postSQL: "update q set done = 1"`;
    const away = await run(connector, false);
    expect(away.counts).toMatchObject({ published: 3, failed: 3 });
    expect(away.message).toContain('postSQL did not run: documents could not be delivered');
    expect(done()).toBe(0);
    const there = await run(connector, true);
    expect(there.counts).toMatchObject({ published: 3, succeeded: 3 });
    expect(done()).toBe(3);
    database.close();
  });

  it('skips postActions', async () => {
    const connector = `
      class: SolrConnector, solr { url: ["${url()}/solr/c"] }
      postActions: ["""{"delete": {"query": "-run_id:{runId}"}}"""]`;
    const away = await run(connector, false);
    expect(away.counts).toMatchObject({ published: 1, failed: 1 });
    expect(away.message).toContain('postActions were not sent: documents could not be delivered');
    expect(updates).toEqual([]);
    expect((await run(connector, true)).counts.succeeded).toBe(1);
    expect(updates).toEqual([`{"delete": {"query": "-run_id:${harness.lastRunId}"}}`]);
  });
});
