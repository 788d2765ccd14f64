import { expect, it } from 'vitest';
import { lightHash } from '../testing/light-hash.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';

/** The lowest role that may use each endpoint. All others need the role reader. */
const OPEN = ['GET /v1/livez', 'GET /v1/readyz', 'GET /openapi.json'];
const OPERATOR = [
  'POST /v1/run',
  'DELETE /v1/run/{id}',
  'POST /v1/run/{id}/cancel',
  'POST /v1/run/{id}/retry',
  'POST /v1/run/{id}/rollback',
  'POST /v1/preview',
  'PUT /v1/config/{id}/schedule',
  'DELETE /v1/config/{id}/schedule',
];
const ADMIN = [
  'POST /v1/config',
  'PUT /v1/config/{id}',
  'DELETE /v1/config/{id}',
  'POST /v1/config/{id}/versions/{version}/restore',
  'PUT /v1/file/{name}',
  'DELETE /v1/file/{name}',
];

it('each endpoint refuses strangers, and users whose role is too low', async () => {
  const users = (['reader', 'operator'] as const).map((role) => ({
    name: role,
    role,
    passwordHash: lightHash('right'),
  }));
  const service = await testService({ auth: { users } });
  const { paths } = (await service.ask('/openapi.json')).json as { paths: Record<string, Record<string, object>> };
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  expect(endpoints.length).toBeGreaterThan(30);
  const needed: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const { method, path } of endpoints) {
    const name = `${method} ${path}`;
    const status = async (auth?: string) => {
      const url = path.replace('{version}', '1').replaceAll(/\{\w+\}/g, 'none');
      const login = auth === undefined ? {} : { auth: `${auth}:right` };
      return (await service.ask(url, { method, ...login })).status;
    };
    if ((await status()) !== 401) needed[name] = 'open';
    else if ((await status('reader')) !== 403) needed[name] = 'reader';
    else needed[name] = (await status('operator')) === 403 ? 'admin' : 'operator';
    const role = ADMIN.includes(name) ? 'admin' : OPERATOR.includes(name) ? 'operator' : 'reader';
    expected[name] = OPEN.includes(name) ? 'open' : role;
  }
  expect(needed).toEqual(expected);
});
