import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { RunHandle } from '@headrace/engine';
import { closedPort } from '@headrace/testing/closed-port';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
const servers: Server[] = [];
afterEach(() => {
  harness.logged.length = 0;
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
afterAll(() => harness.close());

async function listen(server: Server, port = 0): Promise<number> {
  servers.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const answers: Record<string, RequestListener> = {
  /** Accepts every request, as a search engine does. */
  bulk: async (request, response) => {
    const lines = (await request.toArray()).join('').split('\n');
    const items = lines.filter((line) => line.startsWith('{"index"')).map(() => ({ index: { status: 200 } }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ errors: false, items }));
  },
  solr: (_, response) => void response.end('{"responseHeader":{"status":0}}'),
};

/** Indexers that write to a server, with their hints. `PORT` is the port of the server. */
const INDEXERS: Readonly<Record<string, readonly [config: string, hint: RegExp]>> = {
  OpenSearch: [
    'type: OpenSearch OPTIONS }\nopensearch { url: "http://127.0.0.1:PORT", index: i',
    /No server listens on this host and port/,
  ],
  Elasticsearch: [
    'type: Elasticsearch OPTIONS }\nelasticsearch { url: "http://127.0.0.1:PORT", index: i',
    /No server listens on this host and port/,
  ],
  Solr: ['type: Solr OPTIONS }\nsolr { url: "http://127.0.0.1:PORT/solr/c"', /No server listens on this host and port/],
  HTTP: ['type: HTTP OPTIONS }\nhttp { url: "http://127.0.0.1:PORT/in"', /No server listens on this host and port/],
  Postgres: [
    'type: Postgres OPTIONS }\npostgres { connectionString: "jdbc:postgresql://127.0.0.1:PORT/d", table: t',
    /Check host and port in connectionString/,
  ],
  Kafka: [
    'class: KafkaIndexer OPTIONS }\nkafkaTopic { bootstrapServers: "127.0.0.1:PORT", topic: t',
    /Check kafkaTopic.bootstrapServers/,
  ],
};

function config(name: string, port: number, options: string): string {
  const [text] = INDEXERS[name] as readonly [string, RegExp];
  return configOf({ indexer: text.replaceAll('PORT', String(port)).replace('OPTIONS', `, ${options}`) });
}

const waits = () => harness.logged.filter(({ message }) => message.includes('Waiting up to'));

async function untilItWaits(run: RunHandle): Promise<void> {
  const ended = run.done.then((result) => {
    if (waits().length === 0) throw new Error(`The run did not wait: ${result.message}`);
  });
  while (waits().length === 0) await Promise.race([new Promise((resolve) => setTimeout(resolve, 10)), ended]);
}

describe('a destination that is down when the run starts', () => {
  it.each([
    ['OpenSearch', answers.bulk],
    ['Elasticsearch', answers.bulk],
    ['Solr', answers.solr],
    ['HTTP', answers.solr],
  ] as const)('delays the run until it answers: %s', async (name, answer) => {
    const port = await closedPort();
    const run = harness.start(config(name, port, 'connectTimeout: 60000'));
    await untilItWaits(run);
    await listen(createServer(answer), port);
    const result = await run.done;
    expect([result.status, result.counts.succeeded]).toEqual(['SUCCEEDED', 10]);
    expect(waits()).toMatchObject([{ level: 'warn', message: expect.stringContaining('up to 60 s') }]);
    expect(harness.logged.filter(({ message }) => message.includes('destination is reachable after'))).toHaveLength(1);
  });

  it('delays the run while it answers that it is starting', async () => {
    let asked = 0;
    const port = await listen(
      createServer((request, response) => {
        if (++asked <= 2) response.writeHead(503).end();
        else answers.bulk?.(request, response as never);
      }),
    );
    const result = await harness.run(config('OpenSearch', port, 'connectTimeout: 60000'));
    expect(result.status).toBe('SUCCEEDED');
    expect(waits()).toMatchObject([{ message: expect.stringContaining('503') }]);
  });

  it.each(Object.keys(INDEXERS))('ends the run with a hint if it does not start in time: %s', async (name) => {
    // The first attempt loads the client, and the Kafka client repeats a failed request for about a second.
    const millis = name === 'Kafka' ? 5000 : 3000;
    const result = await harness.run(config(name, await closedPort(), `connectTimeout: ${millis}`));
    expect(result.status).toBe('FAILED');
    expect(waits()).toHaveLength(1);
    expect(result.problems).toMatchObject([
      {
        message: expect.stringMatching(/^Indexer could not connect: .* tried for [\d.]+ s \(indexer.connectTimeout\)/),
        hint: expect.stringMatching(INDEXERS[name]?.[1] as RegExp),
      },
    ]);
  });

  it('fails the run immediately if connectTimeout is 0', async () => {
    const result = await harness.run(config('HTTP', await closedPort(), 'connectTimeout: 0'));
    expect([result.status, waits().length]).toEqual(['FAILED', 0]);
    expect(result.problems[0]?.hint).toContain('No server listens on this host and port');
  });

  it('delays the run for one minute by default, until the run is cancelled', async () => {
    const run = harness.start(config('HTTP', await closedPort(), 'batchSize: 1'));
    await untilItWaits(run);
    expect(waits()[0]?.message).toContain('Waiting up to 60 s');
    run.stop('CANCELLED');
    const result = await run.done;
    expect([result.status, result.problems]).toEqual(['CANCELLED', []]);
  });
});

describe('a destination that rejects the connection when the run starts', () => {
  it('is not tried again after a wrong password', async () => {
    let asked = 0;
    const port = await listen(createServer((_, response) => void response.writeHead(401).end(String(++asked))));
    const result = await harness.run(config('OpenSearch', port, 'connectTimeout: 60000'));
    expect([result.status, waits().length, asked]).toEqual(['FAILED', 0, 1]);
    expect(result.problems[0]?.hint).toContain('Check the user and the password');
  });

  it('is not tried again after an untrusted certificate', async () => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(harness.directory, name)) as [string, string];
    const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=self'];
    execFileSync('openssl', ['req', '-x509', ...args, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const port = await listen(createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answers.bulk));
    const secure = config('OpenSearch', port, 'connectTimeout: 60000').replace('http://', 'https://');
    const result = await harness.run(secure);
    expect([result.status, waits().length]).toEqual(['FAILED', 0]);
    expect(result.problems[0]?.hint).toContain('certificate');
  });
});
