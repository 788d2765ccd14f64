import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunHarness } from './run-harness.ts';

const page = new URL('../../docs/components/connectors/database-connector.md', import.meta.url);
const library = fileURLToPath(new URL('../../examples/data/library.sqlite', import.meta.url));

const harness = new RunHarness();
const ids: string[] = [];
/** A search index that accepts every document. */
const server = createServer(async (request, response) => {
  const lines = (await request.toArray()).join('').trim().split('\n');
  const found = lines.flatMap((line) => /^\{"index":\{.*"_id":"([^"]*)"/.exec(line)?.[1] ?? []);
  ids.push(...found);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ errors: false, items: found.map(() => ({ index: { status: 201 } })) }));
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.close();
  await harness.close();
});

it('rows of other queries get different ids, as the documentation of DatabaseConnector says', async () => {
  const shown = /```hocon\n(stages:[^`]*?)(indexer[^`]*)```/.exec(readFileSync(page, 'utf8'));
  const { status } = await harness.run(`
    connectors: [{
      class: DatabaseConnector, name: c, pipeline: p
      driver: org.sqlite.JDBC, connectionString: "jdbc:sqlite:${library}", jdbcUser: "", jdbcPassword: ""
      sql: "SELECT id, name FROM authors ORDER BY id", idField: id
      otherSQLs: ["SELECT author, title FROM books ORDER BY author, year"], otherJoinFields: [author]
    }]
    pipelines: [{ name: p, ${shown?.[1]} }]
    ${shown?.[2]}
    opensearch { url: "http://127.0.0.1:${(server.address() as AddressInfo).port}", index: library }`);
  expect(status).toBe('SUCCEEDED');
  expect(ids).toEqual(['1-0', '1-1', '1', '2-0', '2-1', '2', '3-0', '3']);
});
