import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedService, testService } from '../testing/test-service.test.support.ts';
import { parseTime } from './time-query.ts';

describe('the query of a request', () => {
  const shared = sharedService();

  it('is refused for an unknown choice, with the possible choices or a suggestion', async () => {
    const service = shared();
    expect((await service.ask('/v1/run?status=failed')).json).toMatchObject({
      status: 400,
      code: 'HR_REQUEST_INVALID',
      message: 'The query: status must be one of QUEUED, RUNNING, STOPPING, SUCCEEDED, FAILED, CANCELLED, INTERRUPTED',
      hint: 'Did you mean FAILED?',
    });
    expect((await service.ask('/v1/run?status=unlikely')).json).toMatchObject({
      hint: expect.stringContaining('Possible: QUEUED, RUNNING,'),
    });
  });

  it.each([
    ['/v1/run?limit=0', 'The query: limit must be 1 or more'],
    ['/v1/run?limit=100000', 'The query: limit must be 1000 or less'],
    ['/v1/run?limit=many', 'The query: limit must be an integer'],
  ])('is refused for an invalid value, with the valid range or type: %s', async (path, message) => {
    const service = shared();
    expect((await service.ask(path)).json).toMatchObject({ status: 400, code: 'HR_REQUEST_INVALID', message });
  });

  it.each([
    [
      'GET',
      '/v1/run?stat=failed',
      'stat',
      'Possible: limit, after, configId, status, label, requestedBy, since, until.',
    ],
    ['GET', '/v1/run?statsu=FAILED&limit=0', 'statsu', 'Did you mean status?'],
    ['GET', '/v1/config?limits=1', 'limits', 'Did you mean limit?'],
    ['POST', '/v1/config?validat=true', 'validat', 'Did you mean validate?'],
  ])('is refused if it has an unknown parameter: %s %s', async (method, path, name, hint) => {
    const service = shared();
    const post = method === 'POST' ? { body: 'a: 1', type: 'application/hocon' } : {};
    expect((await service.ask(path, post)).json).toMatchObject({
      status: 400,
      message: `The query: there is no parameter ${name}`,
      hint,
    });
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });
});

describe('a query of an endpoint without parameters', () => {
  it('is refused, also if the request only reads', async () => {
    const service = await testService();
    const configId = await service.store();
    for (const [method, path] of [
      ['GET', `/v1/config/${configId}`],
      ['DELETE', `/v1/config/${configId}`],
      ['GET', '/v1/systemstats'],
      ['POST', '/v1/run'],
    ] as const) {
      const answer = await service.ask(`${path}?version=1`, {
        method,
        ...(method === 'POST' ? { body: { configId } } : {}),
      });
      expect(answer.json).toMatchObject({
        status: 400,
        message: 'The query: there is no parameter version',
        hint: 'This endpoint has no parameters.',
      });
    }
    expect((await service.ask('/v1/run')).json).toEqual([]);
    expect((await service.ask(`/v1/config/${configId}`)).status).toBe(200);
    expect((await service.ask('/v1/nowhere?x=1')).status).toBe(404);
  });

  it('is ignored by probes, metrics and documentation', async () => {
    const service = await testService();
    for (const path of ['/v1/livez', '/v1/readyz', '/v1/version', '/metrics', '/openapi.json', '/swagger']) {
      expect({ path, status: (await service.ask(`${path}?_=1795267968`)).status }).toEqual({ path, status: 200 });
    }
  });
});

describe('a time in a query', () => {
  const month = fc.tuple(
    fc.integer({ min: 1000, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
  );
  const shared = sharedService();

  it('is accepted only if the date exists', () => {
    fc.assert(
      fc.property(month, fc.constantFrom('', 'T12:00:00Z', 'T00:00:00.5+02:00'), ([year, month, day], time) => {
        const two = (n: number) => String(n).padStart(2, '0');
        const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const read = () => parseTime('since', `${year}-${two(month)}-${two(day)}${time}`);
        if (day <= last) expect(read()).toBe(Date.parse(`${year}-${two(month)}-${two(day)}${time}`) / 1000);
        else expect(read).toThrow('is no time');
      }),
    );
  });

  it.each(['2026-02-30', '2026-02-29T12:00:00Z', '2026-13-01', '2026-00-01'])(
    'is refused if the date does not exist: %s',
    async (time) => {
      const service = shared();
      expect((await service.ask(`/v1/run?since=${time}`)).json).toMatchObject({
        status: 400,
        message: `The query: since=${time} is no time`,
      });
    },
  );
});

describe('a slash at the end of a path', () => {
  it('has no effect', async () => {
    const service = await testService();
    const configId = await service.store();
    const { runId } = await service.run(configId);
    for (const path of ['/v1/config', '/v1/run', `/v1/config/${configId}`, `/v1/run/${runId}`, '/swagger']) {
      const answer = await service.ask(`${path}/`);
      expect({ path, status: answer.status, text: answer.text }).toEqual({
        path,
        status: 200,
        text: (await service.ask(path)).text,
      });
    }
    expect((await service.ask('/v1/config/?limit=1')).json).toMatchObject({ items: [{ configId }] });
    expect((await service.ask('/v1/config/', { method: 'PUT' })).status).toBe(405);
    expect((await service.ask('/nowhere/')).status).toBe(404);
  });
});
