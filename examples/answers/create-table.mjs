// Creates the table of pgvector.conf in the database ANSWERS_DATABASE, as psql does with schema.sql.
import { readFileSync } from 'node:fs';
import pg from 'pg';

const client = new pg.Client(process.env.ANSWERS_DATABASE ?? 'postgresql://localhost:5432/answers');
await client.connect();
await client.query(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'));
await client.end();
