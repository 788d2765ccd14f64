import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';

describe('a query', () => {
  it('with a value that is none of the choices is told them, or the one that was meant', async () => {
    const service = await testService();
    expect((await service.ask('/v1/run?status=failed')).json).toMatchObject({
      status: 400,
      code: 'HR_REQUEST_INVALID',
      message:
        'The query: status has to be one of QUEUED, RUNNING, STOPPING, SUCCEEDED, FAILED, CANCELLED, INTERRUPTED',
      hint: 'Did you mean FAILED?',
    });
    expect((await service.ask('/v1/run?status=unlikely')).json).toMatchObject({
      hint: expect.stringContaining('Possible: QUEUED, RUNNING,'),
    });
  });

  it.each([
    ['/v1/run?limit=0', 'The query: limit has to be 1 or more'],
    ['/v1/run?limit=100000', 'The query: limit has to be 1000 or less'],
    ['/v1/run?limit=many', 'The query: limit has to be an integer'],
  ])('with a value that cannot be is told what can: %s', async (path, message) => {
    const service = await testService();
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
  ])('with an unknown parameter is refused: %s %s', async (method, path, name, hint) => {
    const service = await testService();
    const post = method === 'POST' ? { body: 'a: 1', type: 'application/hocon' } : {};
    expect((await service.ask(path, post)).json).toMatchObject({
      status: 400,
      message: `The query: there is no parameter ${name}`,
      hint,
    });
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });
});

describe('a slash at the end of a path', () => {
  it('changes nothing', async () => {
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
    expect((await service.ask('/')).status).toBe(404);
  });
});
