// The frame of the programs by hand that read a database table. It fetches the next rows while it processes the last
// ones.
import { closeSync, openSync, writeSync } from 'node:fs';
import pg from 'pg';
import { bulkWriter, Output } from './output.mjs';

const ROWS = 5000;

/** Does the same as `run` of two-threads.mjs. `database` is the address of the server. */
export async function run({ database, sql, out, bulk, ascii, rows }) {
  const client = new pg.Client(database);
  await client.connect();
  await client.query('BEGIN');
  await client.query(`DECLARE part NO SCROLL CURSOR FOR ${sql}`);
  const fetchRows = () => client.query({ text: `FETCH ${ROWS} FROM part`, rowMode: 'array' });
  const requests = bulk === undefined ? undefined : bulkWriter(bulk);
  const file = out === undefined ? undefined : openSync(out, 'w');
  let count = 0;
  for (let next = fetchRows(); ; ) {
    const { rows: table } = await next;
    if (table.length === 0) break;
    next = fetchRows();
    const output = new Output({ ascii, out, bulk });
    count += rows(table, count + 1, output);
    const bytes = output.end();
    if (file !== undefined) writeSync(file, bytes);
    await requests?.piece({ bytes, ends: output.ends });
  }
  await client.end();
  if (file !== undefined) closeSync(file);
  requests?.close();
  console.log(`${count} documents`);
}
