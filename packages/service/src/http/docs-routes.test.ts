import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';

interface Operation {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
  security?: object[];
  'x-role'?: string;
}

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const ENDPOINTS = [
  'DELETE /v1/config/{id}',
  'DELETE /v1/config/{id}/schedule',
  'DELETE /v1/file/{name}',
  'DELETE /v1/run/{id}',
  'GET /metrics',
  'GET /openapi.json',
  'GET /v1/config',
  'GET /v1/config-info/connector-list',
  'GET /v1/config-info/indexer-list',
  'GET /v1/config-info/schema',
  'GET /v1/config-info/stage-list',
  'GET /v1/config/{id}',
  'GET /v1/config/{id}/diff',
  'GET /v1/config/{id}/schedule',
  'GET /v1/config/{id}/text',
  'GET /v1/config/{id}/versions',
  'GET /v1/config/{id}/versions/{version}',
  'GET /v1/file',
  'GET /v1/livez',
  'GET /v1/readyz',
  'GET /v1/run',
  'GET /v1/run/{id}',
  'GET /v1/run/{id}/events',
  'GET /v1/run/{id}/failures',
  'GET /v1/run/{id}/failures/groups',
  'GET /v1/run/{id}/log',
  'GET /v1/run/{id}/samples',
  'GET /v1/schedule',
  'GET /v1/schedule/times',
  'GET /v1/systemstats',
  'GET /v1/systemstats/history',
  'GET /v1/systemstats/metrics',
  'GET /v1/user',
  'GET /v1/version',
  'POST /v1/config',
  'POST /v1/config/validate',
  'POST /v1/config/{id}/versions/{version}/restore',
  'POST /v1/preview',
  'POST /v1/run',
  'POST /v1/run/{id}/cancel',
  'POST /v1/run/{id}/retry',
  'POST /v1/run/{id}/rollback',
  'PUT /v1/config/{id}',
  'PUT /v1/config/{id}/schedule',
  'PUT /v1/file/{name}',
];

describe('the OpenAPI document', () => {
  it('describes every endpoint: parameters, bodies, responses and errors', async () => {
    const service = await testService();
    const answer = await service.ask('/openapi.json');
    expect(answer.headers.get('content-type')).toBe('application/json');
    const { openapi, paths, components } = answer.json as OpenApi;
    expect(openapi).toBe('3.1.0');
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
    expect(operations.map(({ name }) => name).sort()).toEqual(ENDPOINTS);
    for (const { name, operation } of operations) {
      const { responses, requestBody, parameters = [] } = operation;
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
      expect(responses['default']?.content?.['application/json']?.schema.$ref).toBe('#/components/schemas/Error');
      if (name.includes('{id}')) expect(parameters.map((parameter) => parameter.name)).toContain('id');
      if (name.startsWith('POST') && !/(cancel|restore|retry|rollback)$/.test(name))
        expect(requestBody?.content).toHaveProperty('application/json');
    }
    expect(paths['/v1/config']?.['post']?.requestBody?.content).toHaveProperty('application/hocon');
    const references = [...answer.text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1] as string);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      expect(Object.keys(components.schemas)).toContain(reference.replace('#/components/schemas/', ''));
    }
  });

  it('lists the operations that need credentials', async () => {
    const service = await testService({ auth: { password: 'x', users: [] } });
    const { paths } = (await service.ask('/openapi.json')).json as OpenApi;
    expect(paths['/v1/config']?.['get']?.security).toEqual([{ basic: [] }, { token: [] }]);
    expect(paths['/v1/livez']?.['get']?.security).toBeUndefined();
  });
});

describe('the roles in the OpenAPI document', () => {
  it('are those that the routes need, with and without users', async () => {
    for (const settings of [{}, { auth: { password: 'x', users: [] } }]) {
      const service = await testService(settings);
      const { paths } = (await service.ask('/openapi.json')).json as OpenApi;
      const role = (method: string, path: string) => paths[path]?.[method]?.['x-role'];
      expect(role('get', '/v1/livez')).toBe('open');
      expect(role('get', '/v1/run')).toBe('reader');
      expect(role('post', '/v1/run')).toBe('operator');
      expect(role('post', '/v1/config')).toBe('admin');
    }
  });
});

describe('the API browser', () => {
  it('loads all its files from the service', async () => {
    const service = await testService();
    const page = await service.ask('/swagger');
    expect(page).toMatchObject({ status: 200 });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] as string);
    expect(links).toHaveLength(6);
    const policy = page.headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('http');
    for (const link of links) {
      const asset = await service.ask(link);
      expect({ link, status: asset.status }).toEqual({ link, status: 200 });
      expect(asset.text.length).toBeGreaterThan(100);
    }
    // The page itself contains no script, because the content security policy forbids inline scripts.
    expect(page.text).not.toMatch(/<script>[^<]/);
    expect((await service.ask('/swagger/start.js')).text).toContain("url: '/openapi.json'");
  });

  it('serves no other files', async () => {
    const service = await testService();
    for (const path of ['/swagger/package.json', '/swagger/..%2Fpackage.json', '/swagger/constructor']) {
      expect((await service.ask(path)).json).toMatchObject({ status: 404 });
    }
  });
});
