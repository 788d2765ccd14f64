import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { beforeAll, describe, expect, it } from 'vitest';
import { ACCEPTED, connectTo, serverOf, startupOf } from '../testing/postgres-protocol.ts';

describe.runIf(hasOpenssl())('TLS with Postgres', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'headrace-postgres-tls-'));
    makeCertificates(home);
    return () => rmSync(home, { recursive: true });
  });

  /** Starts a server with TLS. Returns its port, and the names of the users who have logged in. */
  async function withTls(): Promise<{ port: number; users: string[] }> {
    const users: string[] = [];
    const port = await serverOf((socket) => {
      socket.once('data', () => {
        socket.write('S');
        const [key, cert] = [readFileSync(join(home, 'server.key')), readFileSync(join(home, 'server.pem'))];
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        secure.on('error', () => undefined);
        secure.once('data', (message: Buffer) => {
          users.push(startupOf(message)['user'] ?? '');
          secure.write(ACCEPTED);
        });
      });
    });
    return { port, users };
  }

  it('begins after the request, and the login goes through it', async () => {
    const { port, users } = await withTls();
    const connection = await connectTo(port, `sslmode=verify-full&sslrootcert=${join(home, 'ca.pem')}`);
    await connection.close();
    expect(users).toEqual(['me']);
  });

  it('ends before the login if the certificate is not trusted', async () => {
    const { port, users } = await withTls();
    await expect(connectTo(port, 'sslmode=verify-full')).rejects.toThrow(/certificate/);
    expect(users).toEqual([]);
  });
});
