import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { testService, VALID } from '../testing/test-service.test.support.ts';
import { unfinishedRequest } from '../testing/unfinished-request.test.support.ts';

const MOST = 256 * 1024 * 1024;

describe('bodies of many megabytes', () => {
  it('are refused while they arrive with an unknown length, if all bodies together are too large', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    unfinishedRequest(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    const { socket, answer } = unfinishedRequest(service, 'Transfer-Encoding: chunked');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, ' '), Buffer.from('\r\n')]);
    // Send no more bytes than needed: if a connection is closed while bytes still arrive, its answer may be lost.
    let left = MOST / (1024 * 1024);
    const write = () => {
      while (left-- > 0 && socket.write(chunk));
    };
    socket.on('drain', write);
    write();
    expect(await answer).toMatch(/^HTTP\/1\.1 503 .*HR_SERVER_BUSY/is);
    expect((await service.ask('/v1/livez')).status).toBe(200);
  });
  it('are refused as configs of runs if all waiting configs together are too large, except stored configs', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
    const large = `${VALID}\n#${'x'.repeat(9_000_000)}`;
    const own = () => service.ask('/v1/run', { body: { config: large } });
    // The first run is running and three are waiting.
    for (let i = 0; i < 4; i++) expect((await own()).status).toBe(200);
    const refused = await own();
    expect(refused.json).toMatchObject({
      status: 429,
      code: 'HR_RUN_QUEUE_FULL',
      message: expect.stringContaining('characters'),
      hint: expect.stringContaining('store the config'),
    });
    const configId = await service.store();
    for (let i = 0; i < 3; i++) await service.run(configId);
    service.threads.last.end('SUCCEEDED');
    await expect.poll(async () => (await own()).status).toBe(200);
  });
});
