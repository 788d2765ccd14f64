import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { type TestService, testService } from '../testing/test-service.test.support.ts';
import { unfinishedRequest } from '../testing/unfinished-request.test.support.ts';

const MOST = 256 * 1024 * 1024;

/**
 * Returns the answer to a request that announces a body as large as the limit of all bodies, and then sends nothing.
 */
function largest(service: TestService): Promise<string> {
  const { socket, answer } = unfinishedRequest(service, `Content-Length: ${MOST}`);
  setTimeout(() => socket.end(), 100);
  return answer;
}

describe('the bodies of all requests together', () => {
  it('are limited: a request beyond the limit gets 503 with Retry-After', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    const going = unfinishedRequest(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    await expect
      .poll(() => largest(service))
      .toMatch(/^HTTP\/1\.1 503 .*connection: close.*retry-after: 5.*HR_SERVER_BUSY/is);
    // Smaller requests are still answered.
    expect((await service.ask('/v1/run', { body: { configId: 'none' } })).status).toBe(400);
    going.socket.destroy();
    // Answered and closed requests no longer count.
    await expect.poll(() => largest(service)).not.toContain('HR_SERVER_BUSY');
  });
});
