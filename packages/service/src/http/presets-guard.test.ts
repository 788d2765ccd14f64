import { describe, expect, it } from 'vitest';
import { silentLogger } from '../silent-logger.ts';
import { startService } from '../start-service.ts';
import { FakeThreads } from '../testing/fake-threads.test.support.ts';
import { slowPresets } from '../testing/slow-presets.test.support.ts';
import { testSettings } from '../testing/test-service.test.support.ts';

/** Requests that clients send before the presets are loaded. */
const REQUESTS = [
  ['GET', '/v1/config'],
  ['GET', '/v1/config/films.conf'],
  ['GET', '/v1/config?limit=1'],
  ['POST', '/v1/config'],
  ['PUT', '/v1/config/films'],
  ['DELETE', '/v1/config/films.conf'],
  ['POST', '/v1/config/validate'],
  ['GET', '/v1/config/films.conf/versions'],
  ['GET', '/v1/run'],
  ['POST', '/v1/run'],
  ['GET', '/v1/run/0f0e8a7e-5b7a-4b8a-9d3c-0a3f7a0f7a10'],
  ['GET', '/v1/run/0f0e8a7e-5b7a-4b8a-9d3c-0a3f7a0f7a10/events'],
  ['POST', '/v1/run/0f0e8a7e-5b7a-4b8a-9d3c-0a3f7a0f7a10/retry'],
  ['POST', '/v1/preview'],
] as const;

describe('a service whose presets are still being loaded', () => {
  it('answers 503 with Retry-After to requests about configs and runs, and answers probes', async () => {
    const { directory, loading, open } = slowPresets();
    const listening = Promise.withResolvers<string>();
    const info = (line: unknown) => {
      const url = /^Listening on (http:\S+?),/.exec(String(line))?.[1];
      if (url !== undefined) listening.resolve(url);
    };
    const starting = startService({
      settings: testSettings({ presets: directory }),
      catalogs: [],
      threads: new FakeThreads(),
      logger: { ...silentLogger, info },
    });
    try {
      const [url] = await Promise.all([listening.promise, loading]);
      for (const [method, path] of REQUESTS) {
        const answer = await fetch(url + path, { method });
        expect([method, path, answer.status]).toEqual([method, path, 503]);
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(await answer.json()).toMatchObject({ status: 503, code: 'HR_NOT_READY' });
      }
      expect((await fetch(`${url}/v1/livez`)).status).toBe(200);
      expect((await fetch(`${url}/v1/readyz`)).status).toBe(503);
      for (const path of [
        '/metrics',
        '/v1/version',
        '/v1/systemstats',
        '/v1/config-info/stage-list',
        '/openapi.json',
      ]) {
        expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
      }
      open();
      await starting;
      expect((await fetch(`${url}/v1/readyz`)).status).toBe(200);
      expect(Object.keys((await (await fetch(`${url}/v1/config`)).json()) as object)).toEqual(['films.conf']);
      expect((await fetch(`${url}/v1/config/films.conf`)).status).toBe(200);
    } finally {
      open();
      await (await starting).close();
    }
  });
});
