import { EventEmitter } from 'node:events';
import type mysql from 'mysql2';
import { expect, it } from 'vitest';
import { REFERENCE_FORMS } from '../column-values.ts';
import { DatabaseErrors } from '../database-error.ts';
import { MysqlConnection } from './mysql-connection.ts';
import { mysqlSettings } from './mysql-settings.ts';

it.each([
  ['no parser', { stream: {} }],
  ['a parser that does not say how much it has', { stream: {}, packetParser: { largePacketParts: [] } }],
  ['no socket', { packetParser: { bufferLength: 0, largePacketParts: [] } }],
])('mysql2 with %s is refused before it connects, because a row could have any size', async (_, parts) => {
  let isDestroyed = false;
  const destroy = () => {
    isDestroyed = true;
  };
  const createConnection = () => Object.assign(new EventEmitter(), parts, { destroy });
  const url = { kind: 'mysql', hosts: [], database: 'shop', properties: new Map() } as never;
  const settings = mysqlSettings(url, { user: 'me', password: '' });
  const opening = MysqlConnection.open(
    { createConnection } as unknown as typeof mysql,
    { host: 'localhost', port: 1 },
    false,
    settings,
    new DatabaseErrors('', [], () => ({ trouble: 'refused' })),
    { forms: REFERENCE_FORMS },
  );
  await expect(opening).rejects.toMatchObject({
    code: 'HR_LIBRARY_VERSION',
    message: expect.stringContaining('The installed version of mysql2 cannot be used'),
    hint: expect.stringContaining('npm ls mysql2'),
  });
  expect(isDestroyed).toBe(true);
});
