import { expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Database, type DatabaseConnection, type QueryResult } from './database.ts';
import { DatabaseError } from './database-error.ts';

it('rejects waiting and new queries after the pool is closed', async () => {
  const settings = { connectionString: 'jdbc:sqlite::memory:', jdbcUser: '', jdbcPassword: '' };
  const database = await Database.open(settings, new CollectingPublisher().log);
  let connections = 0;
  database.connect = async (): Promise<DatabaseConnection> => {
    connections++;
    const { promise, reject } = Promise.withResolvers<QueryResult>();
    return {
      broken: false,
      execute: async () => undefined,
      query: () => promise,
      stream: () => Promise.reject(new Error('nothing is read')),
      close: async () => reject(new DatabaseError('lost', 'closed', undefined)),
    };
  };
  const pool = new ConnectionPool(database, 1);
  await pool.open();
  const query = () => pool.query(database.driver.prepare('select 1'), []);
  const queries = Promise.allSettled([query(), query(), query()]);
  await pool.close();
  const lost = { status: 'rejected', reason: expect.objectContaining({ trouble: 'lost' }) };
  expect(await queries).toEqual([lost, lost, lost]);
  await expect(query()).rejects.toMatchObject({ trouble: 'lost', message: expect.stringContaining('were closed') });
  expect(connections).toBe(1);
});
