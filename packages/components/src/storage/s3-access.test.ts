import { withDefaults } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArchivedFileError } from './archived-file-error.ts';
import { collected } from './collected.test.lib.ts';
import { parseFileUri } from './file-uri.ts';
import { S3Storage } from './s3-storage.ts';
import type { StoredFile } from './storage.ts';
import { checkStorageSettings, s3Parameters } from './storage-parameters.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const object = (key: string, more = '') =>
  `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified>${more}</Contents>`;
const answerWith =
  (text: string, headers: Record<string, string> = {}, status = 200): StubHandler =>
  (_, response) =>
    void response.writeHead(status, headers).end(text);

let stub: StubServer;
beforeAll(async () => {
  stub = await StubServer.start(() => undefined);
});
beforeEach(() => {
  stub.requests.length = 0;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'environment');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => stub.close());

async function open<T>(settings: Record<string, unknown>, use: (storage: S3Storage) => Promise<T>): Promise<T> {
  const storage = await S3Storage.open(withDefaults(s3Parameters, { endpoint: stub.url, ...settings }), true);
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

function list(uri = 's3://bucket/', settings: Record<string, unknown> = {}): Promise<StoredFile[]> {
  const options = { skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) };
  return open(settings, (storage) => collected(storage.list(parseFileUri(uri), options)));
}

function read(uri: string, settings: Record<string, unknown> = {}): Promise<string> {
  return open(settings, async (storage) => Buffer.concat(await collected(storage.read(parseFileUri(uri)))).toString());
}

describe('archived objects of S3', () => {
  it('are marked in a listing, unless they are restored or can be read immediately', async () => {
    const restored = '<RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress></RestoreStatus>';
    const restoring = restored.replace('false', 'true');
    stub.handle(
      answerWith(
        `<ListBucketResult>${[
          object('standard', '<StorageClass>STANDARD</StorageClass>'),
          object('instant', '<StorageClass>GLACIER_IR</StorageClass>'),
          object('glacier', '<StorageClass>GLACIER</StorageClass>'),
          object('deep', '<StorageClass>DEEP_ARCHIVE</StorageClass>'),
          object('restored', `<StorageClass>GLACIER</StorageClass>${restored}`),
          object('restoring', `<StorageClass>GLACIER</StorageClass>${restoring}`),
        ].join('')}</ListBucketResult>`,
      ),
    );
    expect((await list()).map(({ name, archive }) => [name, archive])).toEqual([
      ['standard', undefined],
      ['instant', undefined],
      ['glacier', 'GLACIER'],
      ['deep', 'DEEP_ARCHIVE'],
      ['restored', undefined],
      ['restoring', 'GLACIER'],
    ]);
  });

  it('are looked up on a server that does not say whether they are restored', async () => {
    const names = ['cold', 'warm'].map((name) => object(name, '<StorageClass>GLACIER</StorageClass>'));
    stub.handle((request, response) => {
      if (request.method === 'HEAD' && request.path.includes('warm')) {
        response.setHeader('x-amz-restore', 'ongoing-request="false", expiry-date="Fri, 21 Dec 2029 00:00:00 GMT"');
      }
      response.end(request.method === 'HEAD' ? undefined : `<ListBucketResult>${names.join('')}</ListBucketResult>`);
    });
    expect((await list()).map(({ name, archive }) => [name, archive])).toEqual([
      ['cold', 'GLACIER'],
      ['warm', undefined],
    ]);
    expect(stub.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).toEqual([
      'GET /bucket/',
      'HEAD /bucket/cold',
      'HEAD /bucket/warm',
    ]);
    expect(stub.requests[0]?.headers).not.toHaveProperty('x-amz-optional-object-attributes');
  });

  it('are looked up in the listing of Amazon', async () => {
    vi.stubEnv('http_proxy', stub.url);
    vi.stubEnv('no_proxy', '');
    const text = object('cold', '<StorageClass>GLACIER</StorageClass>');
    stub.handle(answerWith(`<ListBucketResult>${text}</ListBucketResult>`));
    const endpoint = 'http://s3.eu-west-1.amazonaws.com';
    expect((await list('s3://bucket/', { endpoint })).map(({ archive }) => archive)).toEqual(['GLACIER']);
    expect(stub.requests).toHaveLength(1);
    expect(stub.requests[0]?.headers['x-amz-optional-object-attributes']).toBe('RestoreStatus');
  });

  it('are named in the error if a read finds them', async () => {
    const refusal = `<Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the object's storage class</Message><StorageClass>INTELLIGENT_TIERING</StorageClass><AccessTier>ARCHIVE_ACCESS</AccessTier></Error>`;
    stub.handle(answerWith(refusal, { 'content-type': 'application/xml' }, 403));
    const error = await read('s3://bucket/a').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArchivedFileError);
    expect(error).toMatchObject({ message: 's3://bucket/a is archived (ARCHIVE_ACCESS)' });
  });
});

describe('the access to S3', () => {
  it('is anonymous on request, also if the environment has credentials', async () => {
    stub.handle(answerWith(`<ListBucketResult>${object('a')}</ListBucketResult>`));
    expect(await list('s3://bucket/', { anonymous: true })).toHaveLength(1);
    expect(stub.requests[0]?.headers).not.toHaveProperty('authorization');
    await list();
    expect(stub.requests[1]?.headers).toHaveProperty('authorization');
  });

  it('declares that the requester pays, in each request', async () => {
    stub.handle((request, response) => {
      const text = request.path.includes('list-type') ? `<ListBucketResult>${object('a')}</ListBucketResult>` : 'x';
      response.end(text);
    });
    await list('s3://bucket/', { requesterPays: true });
    await read('s3://bucket/a', { requesterPays: true });
    await open({ requesterPays: true }, (storage) => storage.stat(parseFileUri('s3://bucket/a')));
    expect(stub.requests.map(({ headers }) => headers['x-amz-request-payer'])).toEqual(Array(3).fill('requester'));
    await read('s3://bucket/a');
    expect(stub.requests[3]?.headers).not.toHaveProperty('x-amz-request-payer');
  });

  it('reads a version that the path names', async () => {
    stub.handle((request, response) => {
      response.setHeader('content-length', 3);
      response.end(request.method === 'HEAD' ? undefined : 'old');
    });
    const [file] = await list('s3://bucket/a%20b.txt?versionId=v.1_x%2B');
    expect(file).toMatchObject({ name: 'a b.txt', path: 's3://bucket/a%20b.txt', size: 3 });
    expect(
      await open({}, async (storage) => Buffer.concat(await collected(storage.read(file?.uri as never))).toString()),
    ).toBe('old');
    expect(stub.requests.map(({ path }) => new URL(path, 'http://h').searchParams.get('versionId'))).toEqual([
      'v.1_x+',
      'v.1_x+',
    ]);
  });

  it('sends the key of the customer for encrypted objects', async () => {
    stub.handle(answerWith('x'));
    await read('s3://bucket/a', { sseCustomerKey: KEY });
    expect(stub.requests[0]?.headers).toMatchObject({
      'x-amz-server-side-encryption-customer-algorithm': 'AES256',
      'x-amz-server-side-encryption-customer-key': KEY,
      'x-amz-server-side-encryption-customer-key-md5': 'y4HAEFCYWuvAXWFTtA1Qpg==',
    });
  });

  it('has no contradictions', () => {
    const problems = (settings: Record<string, unknown>) =>
      [...checkStorageSettings({ s3: withDefaults(s3Parameters, settings) })].map(({ parameter }) => parameter);
    expect(problems({ anonymous: true })).toEqual([]);
    expect(problems({ sseCustomerKey: KEY })).toEqual([]);
    expect(problems({ anonymous: true, accessKeyId: 'a', secretAccessKey: 'b' })).toEqual(['s3.anonymous']);
    expect(problems({ sseCustomerKey: 'short' })).toEqual(['s3.sseCustomerKey']);
  });
});
