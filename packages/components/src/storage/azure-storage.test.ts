import { withDefaults } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { expect, it } from 'vitest';
import { ArchivedFileError } from './archived-file-error.ts';
import { AzureStorage } from './azure-storage.ts';
import { collected } from './collected.test.lib.ts';
import { parseFileUri } from './file-uri.ts';
import { azureParameters, checkStorageSettings } from './storage-parameters.ts';

const BASE = 'https://account.blob.core.windows.net/files/';

/** Opens a storage without credentials on a stub. */
async function withStub<T>(handler: StubHandler, use: (storage: AzureStorage, stub: StubServer) => Promise<T>) {
  const stub = await StubServer.start(handler);
  const settings = withDefaults(azureParameters, {
    accountName: 'account',
    anonymous: true,
    endpoint: `${stub.url}/account`,
  });
  const storage = await AzureStorage.open(settings, true);
  try {
    return await use(storage, stub);
  } finally {
    await storage.close();
    await stub.close();
  }
}

const options = () => ({ skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) });

it('AzureStorage lists public containers without credentials, and marks blobs of the archive tier', async () => {
  const blob = (name: string, tier: string) =>
    `<Blob><Name>${name}</Name><Properties><Last-Modified>Mon, 01 Jan 2024 00:00:00 GMT</Last-Modified><Content-Length>1</Content-Length><AccessTier>${tier}</AccessTier></Properties></Blob>`;
  const text = `<?xml version="1.0"?><EnumerationResults><Blobs>${blob('hot', 'Hot')}${blob('old', 'Archive')}</Blobs><NextMarker/></EnumerationResults>`;
  await withStub(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/xml' }).end(text),
    async (storage, stub) => {
      const files = await collected(storage.list(parseFileUri(BASE), options()));
      expect(files.map(({ path, archive }) => [path, archive])).toEqual([
        [`${BASE}hot`, undefined],
        [`${BASE}old`, 'Archive'],
      ]);
      expect(stub.requests[0]?.headers).not.toHaveProperty('authorization');
    },
  );
});

it('AzureStorage names an archived blob in the error', async () => {
  const refusal: StubHandler = (_, response) =>
    void response
      .writeHead(409, { 'x-ms-error-code': 'BlobArchived', 'content-type': 'application/xml' })
      .end('<?xml version="1.0"?><Error><Code>BlobArchived</Code><Message>archived</Message></Error>');
  await withStub(refusal, async (storage) => {
    const error = await collected(storage.read(parseFileUri(`${BASE}old`))).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArchivedFileError);
    expect(error).toMatchObject({ message: `${BASE}old is archived (Archive)` });
  });
});

it('AzureStorage reads the version that the path names', async () => {
  await withStub(
    (_, response) => void response.writeHead(200, { 'content-length': 3, etag: '"1"' }).end('old'),
    async (storage, stub) => {
      const uri = parseFileUri(`${BASE}a?versionid=2024-01-01T00:00:00.0000000Z`);
      expect(Buffer.concat(await collected(storage.read(uri))).toString()).toBe('old');
      expect(new URL(stub.requests[0]?.path ?? '', 'http://h').searchParams.get('versionid')).toBe(
        '2024-01-01T00:00:00.0000000Z',
      );
    },
  );
});

it('anonymous access to Azure needs a name and no key', () => {
  const problems = (settings: Record<string, unknown>) =>
    [...checkStorageSettings({ azure: withDefaults(azureParameters, settings) })].map(({ parameter }) => parameter);
  expect(problems({ anonymous: true, accountName: 'a' })).toEqual([]);
  expect(problems({ anonymous: true })).toEqual(['azure.anonymous']);
  expect(problems({ anonymous: true, accountName: 'a', accountKey: 'b' })).toEqual(['azure.anonymous']);
});
