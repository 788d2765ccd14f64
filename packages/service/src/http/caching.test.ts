import { describe, expect, it } from 'vitest';
import { sharedService, VALID } from '../testing/test-service.test.support.ts';

interface OpenApi {
  paths: Record<string, Record<string, { responses: object }>>;
}

describe('an answer of the API', () => {
  const service = sharedService();

  it('may not be stored, or is checked with its ETag before each use', async () => {
    const configId = await service().store();
    const { runId } = await service().run(configId);
    service().threads.last.end('SUCCEEDED');
    await service().ended(runId);
    const { paths } = (await service().ask('/openapi.json')).json as OpenApi;
    const checked: string[] = [];
    const tagged: string[] = [];
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
    // Requests that change something are last, because one of them deletes the config.
    for (const { path, method } of operations.toSorted(
      (a, b) => (a.method === 'GET' ? 0 : 1) - (b.method === 'GET' ? 0 : 1),
    )) {
      const url = path
        .replace('/run/{id}', `/run/${runId}`)
        .replace('{id}', configId)
        .replace('{version}', '1')
        .replace('{name}', 'missing.csv');
      const isRead = method === 'GET';
      const answer = await service().ask(url, isRead ? {} : { method, body: '{', type: 'application/json' });
      const name = `${method} ${path} (${answer.status})`;
      checked.push(name);
      const hasTag = isRead && answer.headers.has('etag');
      if (hasTag) tagged.push(path);
      expect(answer.headers.get('cache-control'), name).toBe(hasTag ? 'private, no-cache' : 'no-store');
    }
    expect(checked.filter((name) => name.endsWith('(200)')).length).toBeGreaterThan(15);
    expect(tagged.sort()).toEqual([
      '/v1/config-info/schema',
      '/v1/config/{id}',
      '/v1/config/{id}/text',
      '/v1/config/{id}/versions/{version}',
    ]);
  });

  it('without a body, about an unknown path, or to a refused upload may not be stored either', async () => {
    const configId = await service().store(VALID);
    const { headers } = await service().ask(`/v1/config/${configId}`);
    const unchanged = await service().ask(`/v1/config/${configId}`, {
      headers: { 'if-none-match': headers.get('etag') as string },
    });
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.get('cache-control')).toBe('private, no-cache');
    for (const path of ['/v1/nothing', '/v1/config/missing', '/v1/run?unknown=1', '/%zz']) {
      expect((await service().ask(path)).headers.get('cache-control')).toBe('no-store');
    }
    const stored = await service().ask('/v1/config', { body: VALID, type: 'application/hocon' });
    expect(stored.headers.get('cache-control')).toBe('no-store');
  });
});
