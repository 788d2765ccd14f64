import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describeWithServer } from '@headrace/testing/real-server';
import { askForServer } from '@headrace/testing/shared-servers';
import { expect, inject, it } from 'vitest';
import { repository } from '../cli/headrace.ts';
import { commandsOf, missingLines, type Page, readPages, type ShownCommand } from './page.ts';
import { pageDirectory } from './page-directory.ts';

const run = promisify(execFile);
/** How long to repeat a search. The documents of a run can be found after the next refresh. */
const PATIENCE_MILLIS = 20_000;

/** A task page, and what its commands find in its folder. */
interface Task {
  readonly page: string;
  /** The real addresses and names for an attempt, by those of the page. */
  readonly addresses: () => Promise<Readonly<Record<string, string>>>;
  /** Fills the folder, and removes the results of an earlier attempt. */
  readonly prepare: (directory: string, real: Readonly<Record<string, string>>) => Promise<unknown>;
}

/** Tests that the commands of a task page print the output that it shows. */
function testTask({ page: name, addresses, prepare }: Task): void {
  it(`the commands of tasks/${name} print the output that the page shows`, async () => {
    const real = await addresses();
    const here = replacer(real);
    const shown = readPages(join(repository, 'docs/tasks')).find((page) => page.name === name) as Page;
    const blocks = shown.blocks.map((block) => ({ ...block, text: here(block.text) }));
    const directory = pageDirectory({ ...shown, blocks });
    installPsql(directory);
    await prepare(directory, real);
    const env = { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH']}`, PGPASSWORD: 'secret' };
    for (const command of blocks.filter(({ language }) => language === 'console').flatMap(commandsOf)) {
      const said = await say(command, directory, env);
      const missing = missingLines(command.output, said);
      expect(missing, `${name}:${command.line}: ${command.command}\n${said}`).toEqual([]);
    }
  });
}

/** Executes a command. A search is repeated until it finds what the page shows. */
async function say(shown: ShownCommand, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const until = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    const { stdout, stderr } = await run('sh', ['-c', shown.command], { cwd, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    const said = `${stderr}\n${stdout}`;
    const isSearch = shown.command.startsWith('curl ');
    if (!isSearch || missingLines(shown.output, said).length === 0 || Date.now() > until) return said;
    await sleep(100);
  }
}

function replacer(addresses: Readonly<Record<string, string>>): (text: string) => string {
  return (text) => Object.entries(addresses).reduce((result, [shown, real]) => result.replaceAll(shown, real), text);
}

/** Puts the psql of the test server on the path of the commands. */
function installPsql(directory: string): void {
  const command = join(directory, 'bin/psql');
  const launcher = join(repository, 'tests/servers/postgres');
  writeFileSync(command, `#!/bin/sh\nPOSTGRES_PGVECTOR=1 exec "${launcher}" psql "$@"\n`);
  chmodSync(command, 0o755);
}

/** Returns the host, port and database of a Postgres with pgvector. */
async function postgres(): Promise<string> {
  const { url } = await askForServer(inject('sharedServers'), {
    name: 'postgres',
    settings: { POSTGRES_PGVECTOR: '1' },
  });
  const { host, pathname } = new URL(url);
  return host + pathname;
}

async function addressOf(name: 'kafka' | 's3'): Promise<string> {
  return (await askForServer(inject('sharedServers'), { name, settings: {} })).url;
}

/** The object of from-data-prepper.md. */
const ORDERS = [
  { order_no: '7001', cust: 'ada', placed: '2026-11-27 09:00:00', total: '49.5' },
  { order_no: '7002', cust: 'alan', placed: '2026-11-27 09:05:00', total: '120' },
  { order_no: '7003', cust: 'probe', placed: '2026-11-27 09:06:00', total: '1', test: true },
];

/** The model of `examples/answers`, downloaded once on a machine. */
const MODEL = join(
  process.env['HEADRACE_SERVERS_CACHE'] ?? join(homedir(), '.cache/headrace-servers'),
  'all-minilm-l6-v2',
);

const remove = (url: string) => fetch(url, { method: 'DELETE' });

await describeWithServer('opensearch', (server) => {
  testTask({
    page: 'postgres-to-opensearch.md',
    addresses: async () => ({ 'localhost:5432/shop': await postgres(), 'http://localhost:9200': server.url }),
    prepare: () => remove(`${server.url}/shop-products,shop-articles?ignore_unavailable=true`),
  });

  testTask({
    page: 'kafka-to-data-stream.md',
    addresses: async () => ({
      'localhost:9092': await addressOf('kafka'),
      'http://localhost:9200': server.url,
      'shop-events': `shop-events-${randomUUID()}`,
    }),
    prepare: async (_, real) => {
      const launcher = join(repository, 'tests/servers/kafka');
      const env = { ...process.env, KAFKA_PORT: real['localhost:9092']?.split(':')[1] };
      await run(launcher, ['topic', real['shop-events'] as string, '3'], { env });
    },
  });

  testTask({
    page: 'from-logstash.md',
    addresses: async () => ({ 'http://localhost:9200': server.url }),
    prepare: () => remove(`${server.url}/web-2026.11.27`),
  });

  testTask({
    page: 'from-data-prepper.md',
    addresses: async () => {
      const access = `endpoint: "${await addressOf('s3')}", accessKeyId: key, secretAccessKey: secret`;
      return {
        'http://localhost:9200': server.url,
        's3 { region: eu-central-1 }': `s3 { region: us-east-1, ${access} }`,
        's3://orders/': `s3://orders-${randomUUID()}/`,
      };
    },
    prepare: async (_, real) => {
      await remove(`${server.url}/orders`);
      const bucket = `${await addressOf('s3')}/${new URL(real['s3://orders/'] as string).host}`;
      const body = gzipSync(ORDERS.map((order) => `${JSON.stringify(order)}\n`).join(''));
      for (const [url, content] of [[bucket], [`${bucket}/2026/11/27.jsonl.gz`, body]] as const) {
        expect(await fetch(url, { method: 'PUT', ...(content && { body: content }) })).toMatchObject({ ok: true });
      }
    },
  });
});

await describeWithServer('elasticsearch', (server) => {
  testTask({
    page: 'from-elastic-connector.md',
    addresses: async () => ({ 'localhost:5432/shop': await postgres(), 'http://localhost:9200': server.url }),
    prepare: () => remove(`${server.url}/shop-search`),
  });
});

await describeWithServer(
  'postgres',
  (server) => {
    testTask({
      page: 'pdfs-to-pgvector.md',
      addresses: async () => {
        const { host, pathname } = new URL(server.url);
        return { 'localhost:5432/answers': host + pathname };
      },
      prepare: async (directory) => {
        await run(join(directory, 'bin/psql'), [server.url, '-qc', 'DROP TABLE IF EXISTS passages']);
        const answers = join(repository, 'examples/answers');
        await run(join(answers, 'get-model.sh'), [MODEL]);
        symlinkSync(MODEL, join(directory, 'model'));
        cpSync(join(answers, 'files'), join(directory, 'documents'), { recursive: true });
      },
    });
  },
  { POSTGRES_PGVECTOR: '1' },
);
