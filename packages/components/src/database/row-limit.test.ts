import { defaultMemoryMb } from '@headrace/engine';
import { limitMemory } from '@headrace/engine/testing';
import mysql from 'mysql2';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { runConnector } from './testing/run-connector.ts';

beforeAll(() => limitMemory(6 * 20));
afterAll(() => limitMemory(defaultMemoryMb()));

it('a row of SQLite has at most the memory for one value', async () => {
  const read = (bytes: number) =>
    runConnector({ connectionString: 'jdbc:sqlite::memory:', sql: `select 1 as id, zeroblob(${bytes}) as b` });
  expect((await read(19 * 2 ** 20)).documents).toHaveLength(1);
  await expect(read(21 * 2 ** 20)).rejects.toMatchObject({
    message: expect.stringContaining('too big'),
    hint: expect.stringContaining('limits.memoryMb'),
  });
});

/** The driver also has a server, whose types are incomplete. */
interface TestServer {
  listen(port: number, host: string, done: () => void): void;
  close(): void;
  on(event: 'connection', accept: (session: TestSession) => void): void;
  readonly _server: { address(): { readonly port: number } };
}

interface TestSession {
  readonly stream: { write(bytes: Uint8Array): void; end(): void };
  on(event: 'error' | 'query' | 'quit', call: (sql: string) => void): void;
  sequenceId: number;
  serverHandshake(options: object): void;
  writeOk(): void;
  writeColumns(columns: readonly object[]): void;
}

const COLUMN = {
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name: 'b',
  orgName: 'b',
  characterSet: 33,
  columnLength: 0,
  columnType: 253,
  flags: 0,
  decimals: 0,
};

/** A row with one text, and the end of the result. The numbers of the packets follow those of the columns. */
function rowOf(length: number): Buffer {
  const MOST = 2 ** 24 - 1;
  const size = Buffer.alloc(9, 0xfe);
  size.writeBigUInt64LE(BigInt(length), 1);
  const row = Buffer.concat([size, Buffer.alloc(length, 'x')]);
  const packets: Buffer[] = [];
  const add = (content: Uint8Array) => {
    const header = Buffer.alloc(4);
    header.writeUIntLE(content.length, 0, 3);
    header[3] = 4 + packets.length;
    packets.push(Buffer.concat([header, content]));
  };
  for (let at = 0; at <= row.length; at += MOST) add(row.subarray(at, at + MOST));
  add(Buffer.from([0xfe, 0, 0, 2, 0]));
  return Buffer.concat(packets);
}

it('a row of MySQL ends the session before it is complete, if it has more', async () => {
  const server = (mysql.createServer as () => unknown)() as unknown as TestServer;
  onTestFinished(() => server.close());
  server.on('connection', (session) => {
    session.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.0.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: 0xffffff & ~2048,
    });
    session.on('error', () => undefined);
    session.on('quit', () => session.stream.end());
    session.on('query', (sql) => {
      session.sequenceId = 1;
      if (sql.startsWith('KILL')) return session.writeOk();
      session.writeColumns([COLUMN]);
      session.stream.write(rowOf(Number(/\d+/.exec(sql)?.[0])));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const parameters = 'sslMode=DISABLED&netTimeoutForStreamingResults=0';
  const connectionString = `jdbc:mysql://127.0.0.1:${server._server.address().port}/d?${parameters}`;
  const read = (bytes: number) => runConnector({ connectionString, idField: 'b', sql: `select ${bytes}` });
  const { documents } = await read(17 * 2 ** 20);
  expect(documents[0]?.id).toHaveLength(17 * 2 ** 20);
  await expect(read(40 * 2 ** 20)).rejects.toMatchObject({
    trouble: 'statement',
    message: expect.stringContaining('a row has more than 20 MiB'),
  });
});
