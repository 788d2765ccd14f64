import { accessHint, DEFAULT_POLICY, enforcePolicy, withDefaults } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterEach, expect, it, vi } from 'vitest';
import { parseFileUri } from './file-uri.ts';
import { S3Storage } from './s3-storage.ts';
import { s3Parameters } from './storage-parameters.ts';

const LISTING = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>
<Contents><Key>a.txt</Key><Size>3</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>
</ListBucketResult>`;

afterEach(() => {
  vi.unstubAllEnvs();
  enforcePolicy(undefined);
});

async function list(endpoint: string): Promise<string[]> {
  const storage = await S3Storage.open(
    withDefaults(s3Parameters, { endpoint, accessKeyId: 'key', secretAccessKey: 'secret' }),
    true,
  );
  const names: string[] = [];
  const options = { skips: () => false, onProblem: expect.fail, signal: AbortSignal.timeout(60_000) };
  try {
    for await (const { name } of storage.list(parseFileUri('s3://bucket/'), options)) names.push(name);
  } finally {
    await storage.close();
  }
  return names;
}

it('S3Storage connects through the proxy of the environment to hosts that the policy allows', async () => {
  const proxy = await StubServer.start((_, response) => void response.end(LISTING));
  try {
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('no_proxy', '');
    expect(await list('http://s3.example:9000')).toEqual(['a.txt']);
    expect(proxy.requests[0]?.path).toContain('http://s3.example:9000/bucket/?');

    enforcePolicy({ ...DEFAULT_POLICY, hosts: { allow: undefined, deny: ['s3.example'] } });
    await expect(list('http://s3.example:9000')).rejects.toMatchObject({ code: 'HR_POLICY_REFUSED' });
    expect(proxy.requests).toHaveLength(1);
    enforcePolicy(undefined);

    vi.stubEnv('http_proxy', 'http://me:secret-word@127.0.0.1:1');
    await expect(list('http://s3.example:9000')).rejects.toThrow(
      /^No connection through the proxy 127\.0\.0\.1:1, which http_proxy names: [^@]*ECONNREFUSED[^@]*$/,
    );

    vi.stubEnv('no_proxy', '127.0.0.1');
    const direct = await StubServer.start((_, response) => void response.end(LISTING));
    expect(await list(direct.url)).toEqual(['a.txt']);
    await direct.close();
    expect(proxy.requests).toHaveLength(1);
  } finally {
    await proxy.close();
  }
});

it('S3Storage continues an interrupted range, in the same version', async () => {
  let cuts = 1;
  const stub = await StubServer.start(({ method, headers }, response) => {
    if (method === 'HEAD') return void response.writeHead(200, { 'content-length': 10, etag: '"v1"' }).end();
    const [from = 0, last = 0] = (headers.range ?? '').split(/\D+/).slice(1).map(Number);
    response.writeHead(206, { 'content-length': last + 1 - from });
    if (cuts-- <= 0) return void response.end('0123456789'.slice(from, last + 1));
    response.write('234');
    setImmediate(() => setImmediate(() => response.destroy()));
  });
  const storage = await S3Storage.open(
    withDefaults(s3Parameters, { endpoint: stub.url, accessKeyId: 'key', secretAccessKey: 'secret' }),
    true,
  );
  try {
    const file = await storage.openRanges(parseFileUri('s3://bucket/a'));
    expect(Buffer.from(await file.read(2, 9)).toString()).toBe('2345678');
    expect(stub.requests.map(({ headers }) => [headers.range, headers['if-match']])).toEqual([
      [undefined, undefined],
      ['bytes=2-8', '"v1"'],
      ['bytes=5-8', '"v1"'],
    ]);
  } finally {
    await storage.close();
    await stub.close();
  }
});

it('a refusal of S3 has a hint that is true for wrong keys and for missing permissions', async () => {
  const answer = '<Error><Code>InvalidAccessKeyId</Code><Message>There is no such key.</Message></Error>';
  const stub = await StubServer.start((_, response) => void response.writeHead(403).end(answer));
  const refusal = await list(stub.url).catch((error: unknown) => error);
  await stub.close();
  expect(refusal).toMatchObject({ message: 'There is no such key.' });
  expect(accessHint(refusal)).toBe('The server refuses this: check the credentials and their permissions.');
});
