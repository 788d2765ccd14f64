import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkNested, type JsonObject, readJson } from '@headrace/engine';
import { tarOf, zipOf } from '@headrace/testing/archives';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { azure, gcs, type Provider, s3 } from '../storage/cloud-providers.test.lib.ts';
import { FileConnector } from './file-connector.ts';
import { runFileConnector } from './run-file-connector.test.lib.ts';

await describeWithServer('s3', (server) => suite(server, s3));
await describeWithServer('azurite', (server) => suite(server, azure));
await describeWithServer('gcs', (server) => suite(server, gcs));

afterEach(() => {
  vi.useRealTimers();
});

/** Fakes only the time of day: timers work as usual. */
const setClock = (now: number | string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });

it('FileConnector publishes a cloud object again if it may have been overwritten while it was read', async () => {
  const modified: Record<string, string> = {
    'old.txt': '2024-05-01T12:00:00.000Z',
    'new.txt': '2024-05-01T12:01:10.000Z',
  };
  const server = await StubServer.start(({ path }, response) => {
    const contents = Object.entries(modified).map(
      ([key, time]) => `<Contents><Key>${key}</Key><Size>1</Size><LastModified>${time}</LastModified></Contents>`,
    );
    response.end(path.includes('list-type') ? `<ListBucketResult>${contents.join('')}</ListBucketResult>` : 'x');
  });
  const folder = await mkdtemp(join(tmpdir(), 'headrace-clocks-'));
  const runAt = async (now: string) => {
    setClock(now);
    const { documents, rejected } = await runFileConnector(folder, {
      paths: ['s3://bucket/'],
      s3: { endpoint: server.url, accessKeyId: 'k', secretAccessKey: 's' },
      filterOptions: { publishMode: 'incremental' },
      state: { connectionString: `jdbc:sqlite:${folder}/state.db` },
    });
    expect(rejected).toEqual([]);
    return documents.map(({ file_path }) => file_path?.replace('s3://bucket/', '')).sort();
  };
  try {
    // The new object has the same second as the start of the run, by the clock of the storage.
    expect(await runAt('2024-05-01T12:01:10.500Z')).toEqual(['new.txt', 'old.txt']);
    expect(await runAt('2024-05-01T13:00:00.000Z')).toEqual(['new.txt']);
    expect(await runAt('2024-05-01T14:00:00.000Z')).toEqual([]);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

function suite(server: RealServer, { base, settings, fill }: Provider): void {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-clouds-'));
    const objects: Record<string, string | Buffer> = {
      'src/a.txt': 'alpha',
      'src/sub/100% b[1].txt': 'beta',
      'src/sub/skip/c.txt': 'gamma',
      'src/rows.csv': 'k\n1\n2\n',
      'src/x.jsonl.gz': gzipSync('{"id":"j1"}\n{"id":"j2"}\n'),
      'src/z.zip': zipOf([{ name: 'in side.txt', content: 'zip' }]),
      'src/t.tar': await tarOf([{ name: 'd/e.txt', content: 'tar' }]),
      'src/big.bin': Buffer.alloc(3_000_000, 'x'),
    };
    await fill(server.url, new Map(Object.entries(objects)));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function run(params: Record<string, unknown>) {
    const all = { paths: [`${base}src/`], ...settings(server.url), ...params };
    const { params: checked, problems } = checkNested(FileConnector, readJson(JSON.stringify(all)) as JsonObject, []);
    expect(problems).toEqual([]);
    const publisher = new CollectingPublisher();
    const context = {
      name: 'clouds',
      docIdPrefix: '',
      runId: 'r',
      log: publisher.log,
      notices: publisher.notices,
      preview: false,
    };
    const connector = new FileConnector(checked as never, { ...context, signal: publisher.signal });
    try {
      await connector.execute(publisher);
      await connector.markRead();
      connector.postExecute();
    } finally {
      await connector.close();
    }
    expect({ rejected: publisher.rejected, warnings: publisher.warnings }).toEqual({ rejected: [], warnings: [] });
    return publisher.json.map((text) => JSON.parse(text) as Record<string, string>);
  }

  const idsOf = (documents: Record<string, string>[]) =>
    documents
      .map(({ id, file_path }) => decodeURI(file_path?.replace(/%(?!\d)/g, '%25') ?? (id as string)).replace(base, ''))
      .sort();

  it('publishes objects, records and archive entries', async () => {
    const documents = await run({
      fileHandlers: { csv: { idField: 'k' }, json: {} },
      fileOptions: { handleArchivedFiles: true, handleCompressedFiles: true },
      filterOptions: { pathsToSkip: [`${base}src/sub/skip`], excludes: ['.*\\.md'] },
    });
    expect(idsOf(documents)).toEqual(
      [
        '1',
        '2',
        'j1',
        'j2',
        'src/a.txt',
        'src/big.bin',
        'src/sub/100% b[1].txt',
        'src/t.tar!d/e.txt',
        'src/z.zip!in side.txt',
      ].sort(),
    );
    const content = (end: string) => documents.find(({ file_path }) => file_path?.endsWith(end))?.file_content ?? '';
    expect(Buffer.from(content('a.txt'), 'base64').toString()).toBe('alpha');
    expect(Buffer.from(content('big.bin'), 'base64').equals(Buffer.alloc(3_000_000, 'x'))).toBe(true);
    expect(Buffer.from(content('side.txt'), 'base64').toString()).toBe('zip');
  });

  it('remembers objects, and matches patterns with whole keys', async () => {
    const params = {
      filterOptions: { includes: ['src/sub/[^/]*'], publishMode: 'incremental' },
      state: { connectionString: `jdbc:sqlite:${folder}/state.db` },
    };
    // A minute later: recently written objects would be published again, because a read may have missed an overwrite.
    setClock(Date.now() + 60_000);
    expect(idsOf(await run(params))).toEqual(['src/sub/100% b[1].txt']);
    expect(await run(params)).toEqual([]);
  });

  it('moves published objects', async () => {
    await fill(server.url, new Map([['todo/a b.txt', 'x']]));
    const params = { paths: [`${base}todo/`], fileOptions: { moveToAfterProcessing: `${base}done/` } };
    expect((await run(params)).length).toBe(1);
    expect((await run(params)).length).toBe(0);
    expect(idsOf(await run({ paths: [`${base}done/`] }))).toEqual(['done/todo/a b.txt']);
  });
}
