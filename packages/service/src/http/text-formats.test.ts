import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';

interface Parameter {
  name: string;
  schema: { pattern?: string; items?: { pattern?: string }; anyOf?: object[] };
}

describe('the OpenAPI document', () => {
  it('has the formats of labels, cursors, event ids and times', async () => {
    const service = await testService();
    const { paths } = (await service.ask('/openapi.json')).json as {
      paths: Record<string, Record<string, { parameters: Parameter[] }>>;
    };
    const parameter = (method: string, path: string, wanted: string) =>
      paths[path]?.[method]?.parameters.find(({ name }) => name === wanted)?.schema;
    const pattern = (path: string, name: string) => new RegExp(parameter('get', path, name)?.pattern ?? 'none');
    expect('123').toMatch(pattern('/v1/run', 'after'));
    expect('x').not.toMatch(pattern('/v1/run', 'after'));
    expect('preset:a.conf').toMatch(pattern('/v1/config', 'after'));
    expect('preset:a.conf').not.toMatch(pattern('/v1/config/{id}/versions', 'after'));
    expect('17.2').toMatch(pattern('/v1/run/{id}/events', 'lastEventId'));
    expect('x').not.toMatch(pattern('/v1/run/{id}/events', 'last-event-id'));
    const labels = (method: string, path: string) =>
      new RegExp(parameter(method, path, 'label')?.items?.pattern ?? 'none');
    expect('team:search').toMatch(labels('get', '/v1/run'));
    expect('').not.toMatch(labels('get', '/v1/config'));
    expect('').toMatch(labels('put', '/v1/config/{id}'));
    expect(parameter('get', '/v1/run', 'since')?.anyOf).toContainEqual({ type: 'string', format: 'date-time' });
  });
});

describe('a parameter with the wrong format', () => {
  it.each([
    ['/v1/run?after=x', 'The query: after=x is not the "next" of an earlier page'],
    ['/v1/config?after=presets', 'The query: after=presets is not the "next" of an earlier page'],
    ['/v1/config?label=team', 'The query: label=team is not key:value'],
    ['/v1/run?label=a:b&label=', 'is not key:value'],
    ['/v1/run/x/events?lastEventId=last', 'The query: lastEventId=last is not the id of an event of a run'],
  ])('is refused, and the message contains the expected format: %s', async (path, message) => {
    const service = await testService();
    expect((await service.ask(path)).json).toMatchObject({
      status: 400,
      code: 'HR_REQUEST_INVALID',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\.$/),
    });
  });

  it.each([
    ['/v1/run?limit=true', 'limit must be an integer'],
    ['/v1/run?limit=1.5', 'limit must be an integer'],
    ['/v1/run?limit=0x10', 'limit must be an integer'],
    ['/v1/run?limit=', 'limit must be an integer'],
    ['/v1/config/x/versions/true', 'version must be an integer'],
    ['/v1/readyz?verbose=1', 'verbose must be a boolean'],
  ])('is refused if a number or a boolean is expected: %s', async (path, message) => {
    const service = await testService();
    expect((await service.ask(path)).json).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  });
});
