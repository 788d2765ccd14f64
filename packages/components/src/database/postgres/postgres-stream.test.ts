import { afterEach, describe, expect, it, vi } from 'vitest';
import { ACCEPTED, connectTo, serverOf, startupOf } from '../testing/postgres-protocol.ts';

describe('the login at Postgres', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('sends exactly the parameters of the config, also if the environment has others for pg', async () => {
    for (const name of ['PGAPPNAME', 'PGOPTIONS', 'PGCLIENTENCODING', 'PGDATABASE', 'PGUSER']) {
      vi.stubEnv(name, 'of-the-environment');
    }
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const port = await serverOf((socket) => {
      socket.once('data', (message: Buffer) => {
        resolve(message);
        socket.write(ACCEPTED);
      });
    });
    const connection = await connectTo(port, 'sslmode=disable&ApplicationName=mine&currentSchema=a,b');
    await connection.close();
    expect(startupOf(await promise)).toEqual({
      user: 'me',
      database: 'shop',
      application_name: 'mine',
      search_path: 'a,b',
      extra_float_digits: '3',
      DateStyle: 'ISO',
      TimeZone: expect.any(String),
      // Added by the driver.
      client_encoding: 'UTF8',
    });
  });

  it.each([
    ['no TLS', 'N', /server does not support SSL/],
    ['an error', 'Esomething', /error establishing an SSL connection/],
    ['TLS and more bytes, which someone between could have added', 'SR', /error establishing an SSL connection/],
  ])('ends if TLS is required and the server answers with %s', async (_, answer, message) => {
    const received: Buffer[] = [];
    const port = await serverOf((socket) => {
      socket.on('data', (bytes: Buffer) => {
        received.push(bytes);
        socket.write(answer);
      });
    });
    await expect(connectTo(port, 'sslmode=require')).rejects.toThrow(message);
    expect(Buffer.concat(received).toString('hex')).toBe('0000000804d2162f');
  });
});
