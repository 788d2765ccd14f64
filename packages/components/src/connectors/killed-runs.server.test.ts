import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../database/database.ts';

/**
 * Tests what connectors remember in a server while their runs are killed. The tests for SQLite files are in tests/run.
 */

/** A run in a separate process, which can be killed. */
const SCRIPT = `
  import { catalogUrl } from '@headrace/components';
  import { readConfigText } from '@headrace/engine';
  import { RunLauncher } from '@headrace/engine/threads';
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false });
  const { root } = readConfigText(process.argv[1]);
  const registry = { catalogs: [catalogUrl], modules: [], base: 'file:///', allowModules: false };
  const { status, message } = await threads.start({ runId: 'r', root, registry }, {}).done;
  if (status !== 'SUCCEEDED') throw new Error(message);
  await threads.close();
`;

/** The time in milliseconds that the destination takes for a batch. */
const BATCH_MS = 30;

/** A slow destination that records the ids of its documents. */
class Destination {
  ids: string[] = [];
  readonly #server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    await sleep(BATCH_MS);
    for (const [, id = ''] of body.matchAll(/"id":"([^"]+)"/g)) this.ids.push(id);
    response.end('{}');
  });

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /**
   * Runs a connector repeatedly; returns the ids of each round.
   * @param kills the number of documents of a round after which its run is killed; the last run ends normally
   */
  async runs(connector: string, kills: readonly number[]): Promise<string[][]> {
    const config = `
      connectors: [{ name: c, pipeline: p, ${connector} }]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: HTTP, batchSize: 50 }
      http { url: "${this.url}" }`;
    const rounds: string[][] = [];
    for (const enough of [...kills, Number.POSITIVE_INFINITY]) {
      this.ids = [];
      const child = spawn(process.execPath, ['-e', SCRIPT, config], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      while (child.exitCode === null && this.ids.length < enough) await sleep(10);
      if (enough !== Number.POSITIVE_INFINITY) child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect([child.exitCode, child.signalCode]).toEqual(
        enough === Number.POSITIVE_INFINITY ? [0, null] : [null, 'SIGKILL'],
      );
      rounds.push(this.ids);
    }
    return rounds;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const destination = new Destination();
beforeAll(() => destination.open());
afterAll(() => destination.close());

await describeWithServer('postgres', (server) => {
  it('a killed FileConnector with a state in Postgres misses no file', { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-killed-'));
    await mkdir(join(folder, 'in'));
    const names = Array.from({ length: 3000 }, (_, i) => `row-${i}`);
    for (const name of names) {
      const path = join(folder, 'in', `${name}.csv`);
      await writeFile(path, `k\n${name}\n`);
      await utimes(path, 1_700_000_000, 1_700_000_000);
    }
    const connector = `
      class: FileConnector, paths: ["${folder}/in"], fileHandlers { csv { idField: k } }
      filterOptions { publishMode: incremental }
      state { connectionString: "jdbc:${server.url}", tableName: "killed_${crypto.randomUUID().slice(0, 8)}" }`;
    try {
      const rounds = await destination.runs(connector, [1200, 900]);
      expect(new Set(rounds.flat())).toEqual(new Set(names));
      // The last round must not repeat the files of the first rounds.
      expect(rounds.at(-1)?.length).toBeLessThan(names.length - 500);
      expect((await destination.runs(connector, [])).flat()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

for (const name of ['postgres', 'mariadb'] as const) {
  await describeWithServer(name, (server) => {
    it(`a killed incremental DatabaseConnector with ${name} misses no row`, {
      timeout: 300_000,
    }, async () => {
      const table = `killed_${crypto.randomUUID().slice(0, 8)}`;
      const url = `jdbc:${server.url.replace(/^mysql/, 'mariadb')}`;
      const login = { connectionString: url, jdbcUser: '', jdbcPassword: '' };
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const execute = async (sql: string) => {
        const connection = await (await Database.open(login, log)).connect();
        await connection.execute(sql);
        await connection.close();
      };
      const insert = (from: number, to: number) =>
        execute(
          `INSERT INTO ${table} VALUES ${Array.from({ length: to - from }, (_, i) => `(${from + i}, ${from + i})`).join()}`,
        );
      await execute(`CREATE TABLE ${table} (k int, v bigint)`);
      await insert(0, 4000);
      const connector = `
        class: DatabaseConnector, driver: ${name === 'postgres' ? 'org.postgresql.Driver' : 'org.mariadb.jdbc.Driver'}
        connectionString: "${url}", jdbcUser: "", jdbcPassword: "", idField: k
        sql: "SELECT k, v FROM ${table} WHERE v >= ? ORDER BY v DESC", incremental { column: v, initial: 0 }
        state { connectionString: "${url}", tableName: "${table}_state" }`;
      const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));
      const rounds = await destination.runs(connector, [1200, 3000]);
      // The killed runs remembered nothing, although they wrote the highest values first.
      expect(new Set(rounds.at(-1))).toEqual(new Set(ids(0, 4000)));
      expect((await destination.runs(connector, [])).flat()).toEqual(['3999']);
      await insert(4000, 6000);
      const added = await destination.runs(connector, [500]);
      expect(new Set(added.at(-1))).toEqual(new Set(ids(3999, 6000)));
      expect((await destination.runs(connector, [])).flat()).toEqual(['5999']);
    });
  });
}

it('a killed RSSConnector with a state misses no item', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-killed-'));
  const guids = Array.from({ length: 3000 }, (_, i) => `item-${i}`);
  const items = guids.map((guid) => `<item><guid>${guid}</guid></item>`).join('');
  const feed = createServer((_, response) => void response.end(`<rss><channel>${items}</channel></rss>`));
  feed.listen(0, '127.0.0.1');
  await once(feed, 'listening');
  const connector = `
    class: RSSConnector, rssURL: "http://127.0.0.1:${(feed.address() as AddressInfo).port}/"
    state { connectionString: "jdbc:sqlite:${folder}/state.db" }`;
  try {
    const rounds = await destination.runs(connector, [1200, 900]);
    // A document contains its id and its guid.
    expect(new Set(rounds.flat())).toEqual(new Set(guids));
    expect(new Set(rounds.at(-1)).size).toBeLessThan(guids.length - 500);
    expect((await destination.runs(connector, [])).flat()).toEqual([]);
  } finally {
    feed.close();
    feed.closeAllConnections();
    await rm(folder, { recursive: true });
  }
});

await describeWithServer('kafka', (server) => {
  it('a killed KafkaConnector misses no message', { timeout: 300_000 }, async () => {
    const { Admin, Producer } = await import('@platformatic/kafka');
    const bootstrapBrokers = [server.url];
    const topic = `killed-${crypto.randomUUID().slice(0, 8)}`;
    const admin = new Admin({ clientId: 'test', bootstrapBrokers });
    await admin.createTopics({ topics: [topic], partitions: 2, replicas: 1 });
    await admin.close();
    const ids = Array.from({ length: 12_000 }, (_, i) => `m-${i}`);
    const messages = ids.map((id, i) => ({ topic, partition: i % 2, value: Buffer.from(JSON.stringify({ id })) }));
    const producer = new Producer({ clientId: 'test', bootstrapBrokers, idempotent: true });
    await producer.send({ messages });
    await producer.close();
    // The shortest session that brokers allow, so that the next run waits only briefly for the killed member.
    const connector = `
      class: KafkaConnector, continueOnTimeout: false
      kafka {
        bootstrapServers: "${server.url}", topic: ${topic}, consumerGroupId: ${topic}, clientId: c
        maxPollIntervalSecs: "6"
      }`;
    const rounds = await destination.runs(connector, [2000, 7500]);
    expect(new Set(rounds.flat())).toEqual(new Set(ids));
    // Finished messages were committed every two seconds, about 3,000 at a time.
    expect(rounds.at(-1)?.length).toBeLessThan(ids.length - 4000);
    expect((await destination.runs(connector, [])).flat()).toEqual([]);
  });
});
