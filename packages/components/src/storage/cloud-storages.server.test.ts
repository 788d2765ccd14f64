import { withDefaults } from '@headrace/engine';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { azure, gcs, type Provider, s3 } from './cloud-providers.test.lib.ts';
import { collected } from './collected.test.lib.ts';
import { parseFileUri } from './file-uri.ts';
import type { StoredFile } from './storage.ts';
import { azureParameters, s3Parameters } from './storage-parameters.ts';
import { Storages } from './storages.ts';

/** Object names, and the ends of their full paths. */
const NAMES: readonly (readonly [name: string, escaped: string])[] = [
  ['in/a.txt', 'in/a.txt'],
  ['in/sub/b c+d%.txt', 'in/sub/b%20c+d%25.txt'],
  ['in/sub/ünï-日.txt', 'in/sub/ünï-日.txt'],
  ['in/sub/deep/d.csv', 'in/sub/deep/d.csv'],
  ['in/z.txt', 'in/z.txt'],
];
const CONTENT = 'content of ';

await describeWithServer('s3', (server) => storageSuite(server, s3));
await describeWithServer('azurite', (server) => storageSuite(server, azure));
await describeWithServer('gcs', (server) => storageSuite(server, gcs));

function storageSuite(server: RealServer, { base, escapes, settings, fill }: Provider): void {
  const all = NAMES.map(([name, escaped]) => base + (escapes ? escaped : name));

  beforeAll(async () => {
    await fill(server.url, new Map(NAMES.map(([name]) => [name, CONTENT + name])));
  });

  async function list(path: string, skip?: string, pageSize?: number, url = server.url): Promise<StoredFile[]> {
    const storages = new Storages(settings(url, pageSize));
    const uri = parseFileUri(path);
    const files: StoredFile[] = [];
    const options = {
      skips: (folder: string) => folder === skip,
      onProblem: expect.fail,
      signal: AbortSignal.timeout(60_000),
    };
    for await (const file of (await storages.of(uri)).list(uri, options)) files.push(file);
    await storages.close();
    return files;
  }

  it('lists the files below a path, with size and dates', async () => {
    const files = await list(`${base}in/`);
    expect(files.map(({ path }) => path).sort()).toEqual(all.toSorted());
    expect(files.map(({ name }) => name).sort()).toEqual(NAMES.map(([name]) => name).sort());
    for (const { name, size, modified } of files) {
      expect(size).toBe(Buffer.byteLength(CONTENT + name));
      expect(Math.abs(Date.now() - Number(modified / 1_000_000n))).toBeLessThan(600_000);
    }
    expect((await list(base)).length).toBe(NAMES.length);
    expect(await list(`${base}nothing/`)).toEqual([]);
  });

  it('uses the path as a key prefix', async () => {
    expect((await list(`${base}in/s`)).length).toBe(3);
    expect((await list(`${base}in/a.txt`)).map(({ path }) => path)).toEqual([`${base}in/a.txt`]);
  });

  it('lists page by page', async () => {
    expect((await list(`${base}in/`, undefined, 1)).map(({ path }) => path).sort()).toEqual(all.toSorted());
  });

  it('skips folders', async () => {
    expect((await list(`${base}in/`, `${base}in/sub`)).map(({ name }) => name)).toEqual(['in/a.txt', 'in/z.txt']);
    expect((await list(`${base}in/`, `${base}in/sub/deep`)).length).toBe(4);
  });

  it('reads parts of a file', async () => {
    const storages = new Storages(settings(server.url));
    const uri = parseFileUri(`${base}in/a.txt`);
    const content = `${CONTENT}in/a.txt`;
    const file = await (await storages.of(uri)).openRanges(uri);
    expect(file.size).toBe(content.length);
    expect(String(await file.read(0, 7))).toBe('content');
    expect(String(await file.read(8, 10))).toBe('of');
    expect(String(await file.read(8, file.size))).toBe(content.slice(8));
    await expect(file.read(8, file.size + 1)).rejects.toThrow();
    await file.close();
    const missing = parseFileUri(`${base}none`);
    await expect((await storages.of(missing)).openRanges(missing)).rejects.toThrow();
    await storages.close();
  });

  it('reads content by a listed file and by a path', async () => {
    const storages = new Storages(settings(server.url));
    for (const { uri, name } of await list(base)) {
      const pieces: Uint8Array[] = [];
      for await (const piece of (await storages.of(uri)).read(uri)) pieces.push(Buffer.from(piece));
      expect(Buffer.concat(pieces).toString()).toBe(CONTENT + name);
      expect(await (await storages.of(uri)).stat(uri)).toMatchObject({ name, size: Buffer.byteLength(CONTENT + name) });
    }
    expect(String(await storages.readContent(`${base}in/sub/b%20c+d%25.txt`, 100))).toBe(`${CONTENT}in/sub/b c+d%.txt`);
    await expect(storages.readContent(`${base}in/a.txt`, 5)).rejects.toThrow('more than 5 bytes');
    await expect(storages.readContent(`${base}none`, 5)).rejects.toThrow(`Cannot read ${base}none`);
    await storages.close();
  });

  it('moves a file to a folder, with its whole key', async () => {
    await fill(server.url, new Map([['move/x y%.txt', 'moved']]));
    const storages = new Storages(settings(server.url));
    const [file] = await list(`${base}move/`);
    if (file === undefined) throw new Error('the file is not listed');
    await (await storages.of(file.uri)).move(file.uri, parseFileUri(`${base}done`));
    expect(await list(`${base}move/`)).toEqual([]);
    const [moved] = await list(`${base}done/`);
    expect(moved?.name).toBe('done/move/x y%.txt');
    expect(String(await storages.readContent(`${base}done/move/x%20y%25.txt`, 100))).toBe('moved');
    await storages.close();
  });

  it('reports a server that does not answer', async () => {
    await expect(list(`${base}in/`, undefined, undefined, 'http://127.0.0.1:1')).rejects.toThrow();
  });
}

describe('storages', () => {
  it('storages are opened once, at the first path of their scheme', async () => {
    const storages = new Storages({
      s3: withDefaults(s3Parameters, { endpoint: 'http://127.0.0.1:1', accessKeyId: 'a', secretAccessKey: 'b' }),
    });
    expect(storages.of(parseFileUri('s3://b/k'))).toBe(storages.of(parseFileUri('s3://c/k')));
    expect(() => storages.of(parseFileUri('gs://b/k'))).toThrow('need the block gcp');
    await storages.close();
  });
});

await describeWithServer('s3', (server) => {
  it('S3 reads a version without credentials, and marks archived objects', async () => {
    const { S3Client, CreateBucketCommand, PutBucketVersioningCommand, PutObjectCommand } = await import(
      '@aws-sdk/client-s3'
    );
    const Bucket = `hr-${crypto.randomUUID()}`;
    const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const client = new S3Client({ endpoint: server.url, forcePathStyle: true, region: 'us-east-1', credentials });
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const { VersionId } = await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'old' }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'new' }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'b', Body: 'cold', StorageClass: 'GLACIER' }));
    client.destroy();
    const storages = new Storages({
      s3: withDefaults(s3Parameters, { endpoint: server.url, anonymous: true, requesterPays: true }),
    });
    const read = async (path: string) => {
      const uri = parseFileUri(`s3://${Bucket}/${path}`);
      return Buffer.concat(await collected((await storages.of(uri)).read(uri))).toString();
    };
    expect(await read('a')).toBe('new');
    expect(await read(`a?versionId=${VersionId}`)).toBe('old');
    const uri = parseFileUri(`s3://${Bucket}/`);
    const options = { skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) };
    const files = await collected((await storages.of(uri)).list(uri, options));
    expect(files.map(({ name, archive }) => [name, archive])).toEqual([
      ['a', undefined],
      ['b', 'GLACIER'],
    ]);
    await storages.close();
  });
});

await describeWithServer('azurite', (server) => {
  it('Azure lists a public container without credentials, and marks archived blobs', async () => {
    const { BlobServiceClient } = await import('@azure/storage-blob');
    const { azure: settings } = azure.settings(server.url);
    const container = `hr-${crypto.randomUUID()}`;
    const client = BlobServiceClient.fromConnectionString(settings?.connectionString ?? '').getContainerClient(
      container,
    );
    await client.create({ access: 'container' });
    await client.getBlockBlobClient('hot').upload('x', 1);
    await client.getBlockBlobClient('old').upload('x', 1);
    await client.getBlockBlobClient('old').setAccessTier('Archive');
    const endpoint = /BlobEndpoint=([^;]*)/.exec(settings?.connectionString ?? '')?.[1] ?? '';
    const storages = new Storages({
      azure: withDefaults(azureParameters, { accountName: 'devstoreaccount1', anonymous: true, endpoint }),
    });
    const uri = parseFileUri(`https://devstoreaccount1.blob.core.windows.net/${container}/`);
    const storage = await storages.of(uri);
    const options = { skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) };
    const files = await collected(storage.list(uri, options));
    expect(files.map(({ name, archive }) => [name, archive])).toEqual([
      ['hot', undefined],
      ['old', 'Archive'],
    ]);
    const old = storage.read(parseFileUri(`https://devstoreaccount1.blob.core.windows.net/${container}/old`));
    await expect(collected(old)).rejects.toThrow('is archived (Archive)');
    await storages.close();
  });
});
