import pg from 'pg';
import { withServer } from '../servers.mjs';

const TABLE = 'headrace_matrix';

/** The columns of the table, with SQL code for their values. Integers become numbers, all others texts. */
export const TABLE_COLUMNS = {
  sku: "'SKU-' || lpad(i::text, 8, '0')",
  title: "'  a title of row ' || i || '  '",
  description: "'lorem ipsum dolor sit amet, the description of row ' || i",
  brand: "'Brand ' || i % 500",
  category: "'Ipsum ' || i % 7 || '/' || md5(i::text)",
  tags: "'lorem;ipsum ' || i % 11 || ';dolor'",
  stock: 'i % 1000',
  created: "'2024-0' || 1 + i % 9 || '-1' || i % 10 || 'T0' || i % 7 || ':00:00Z'",
  grade: '(i % 10)::text',
  note: "CASE i % 3 WHEN 0 THEN '' ELSE 'a note' END",
};

/** Returns the query of a job that reads this many rows. Without an order, each query may start at another row. */
export function tableQuery(rows) {
  return `SELECT * FROM ${TABLE} ORDER BY sku LIMIT ${rows}`;
}

/** Creates a table on a Postgres server and calls `work` with it as a source. Returns the results of `work`. */
export function withTable(directory, rows, work) {
  return withServer('postgres', directory, async ({ url }) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      const columns = Object.entries(TABLE_COLUMNS).map(([name, code]) => `${code} AS ${name}`);
      await client.query(`DROP TABLE IF EXISTS ${TABLE}`);
      await client.query(
        `CREATE UNLOGGED TABLE ${TABLE} AS SELECT ${columns.join(', ')} FROM generate_series(1, ${rows}) AS i`,
      );
      // A sort of the whole table would cost each run more than the run itself.
      await client.query(`ALTER TABLE ${TABLE} ADD PRIMARY KEY (sku)`);
      await client.query(`ANALYZE ${TABLE}`);
      return await work((_job, _places, wanted) => ({ rows: wanted, database: url }));
    } finally {
      await client.query(`DROP TABLE IF EXISTS ${TABLE}`);
      await client.end();
    }
  });
}
