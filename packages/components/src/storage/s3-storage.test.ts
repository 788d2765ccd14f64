import { DEFAULT_POLICY, enforcePolicy } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterEach, expect, it, vi } from 'vitest';
import { parseFileUri } from './file-uri.ts';
import { S3Storage } from './s3-storage.ts';

const LISTING = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>
<Contents><Key>a.txt</Key><Size>3</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>
</ListBucketResult>`;

afterEach(() => {
  vi.unstubAllEnvs();
  enforcePolicy(undefined);
});

async function list(endpoint: string): Promise<string[]> {
  const storage = await S3Storage.open({ endpoint, accessKeyId: 'key', secretAccessKey: 'secret' }, true);
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
