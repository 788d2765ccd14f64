import { expect, it } from 'vitest';
import { Database, type DatabaseConnection } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import { PostgresEncoder } from './postgres-encoder.ts';
import { PostgresWriter } from './postgres-writer.ts';

const ID_COLUMN = ['id', 'text', false, false, false, false, true, 't'];

/** A connection that fails to write and to roll back, and records the statements. */
class StuckConnection implements DatabaseConnection {
  readonly broken = false;
  readonly statements: string[] = [];

  async execute(sql: string): Promise<void> {
    this.statements.push(sql);
    if (sql === 'rollback') throw new DatabaseError('statement', 'no way back', undefined);
  }

  async query({ text }: { readonly text: string }) {
    if (text.includes('pg_attribute')) return { columns: [], rows: [ID_COLUMN] };
    throw new DatabaseError('statement', 'the disk is full', undefined, '53100');
  }

  stream(): never {
    throw new Error('nothing is read');
  }

  async close(): Promise<void> {
    this.statements.push('close');
  }
}

it('PostgresWriter reports why a transaction failed, and closes a connection that cannot roll back', async () => {
  const settings = { connectionString: 'jdbc:sqlite::memory:', jdbcUser: '', jdbcPassword: '' };
  const database = await Database.open(settings, new CollectingPublisher().log);
  const made: StuckConnection[] = [];
  database.driver.connect = async () => {
    const connection = new StuckConnection();
    made.push(connection);
    return connection;
  };
  const retries = { most: 0, isRetryable: () => false, delay: () => 0 };
  const writer = new PostgresWriter(
    database,
    { table: 't', idColumn: 'id', columns: undefined, documentColumn: undefined, required: [] },
    retries,
  );
  await writer.connect();
  const encoder = new PostgresEncoder({
    idColumn: 'id',
    whitelist: [],
    blacklist: [],
    deletionMarkerField: 'gone',
    deletionMarkerFieldValue: 'yes',
  });
  const batch = encodedBatch(encoder, [{ id: '1' }, { id: '2', gone: 'yes' } as { id: string }]);
  const failures = await writer.write(batch, new AbortController().signal);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining('the disk is full'),
    expect.stringContaining('the disk is full'),
  ]);
  expect(made[0]?.statements).toEqual(['begin', 'rollback', 'close']);
});
