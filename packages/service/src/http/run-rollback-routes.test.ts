import { configToJson, HeadraceError } from '@headrace/engine';
import { expect, it } from 'vitest';
import { lightHash } from '../testing/light-hash.test.support.ts';
import { type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

async function finishedRun(service: TestService, configId: string): Promise<string> {
  const { runId } = await service.run(configId);
  service.threads.last.end('SUCCEEDED');
  await service.ended(runId);
  return runId;
}

const rollBack = (service: TestService, runId: string, over: object = {}) =>
  service.ask(`/v1/run/${runId}/rollback`, { method: 'POST', ...over });

it('undoes a run with the version of its config, and records that in the details', async () => {
  const service = await testService();
  const configId = await service.store();
  const runId = await finishedRun(service, configId);
  await service.ask(`/v1/config/${configId}`, {
    method: 'PUT',
    body: VALID.replace('title', 'other'),
    type: 'application/hocon',
  });
  const requests: { runId?: string; config: string }[] = [];
  service.threads.onRollback = ({ runId: undone, root }) => {
    requests.push({ ...(undone === undefined ? {} : { runId: undone }), config: configToJson(root) });
    return 'The alias points to products-1 again, hunter2';
  };
  const first = await rollBack(service, runId);
  // A secret of the config in the sentence is masked.
  const rolledBack = { requestedBy: null, time: expect.any(Number), message: expect.stringMatching(/again, \*+$/) };
  expect([first.status, first.json]).toEqual([200, expect.objectContaining({ runId, rolledBack })]);
  expect((await service.ask(`/v1/run/${runId}`)).json).toEqual(first.json);
  await rollBack(service, runId, { body: { configId } });
  expect(requests.map((request) => [request.runId, request.config.includes('other')])).toEqual([
    [runId, false],
    [runId, true],
  ]);
});

it('refuses a run that is unknown or running, a config that is gone, and passes on why nothing changed', async () => {
  const service = await testService();
  const configId = await service.store();
  const { runId: running } = await service.run(configId);
  const codeOf = async (id: string) => {
    const { status, json } = await rollBack(service, id);
    return [status, (json as { code: string }).code];
  };
  expect(await codeOf('none')).toEqual([404, 'HR_RUN_NOT_FOUND']);
  expect(await codeOf(running)).toEqual([409, 'HR_RUN_IS_GOING']);
  service.threads.last.end('SUCCEEDED');
  await service.ended(running);
  service.threads.onRollback = () => {
    throw new HeadraceError('HR_ROLLBACK_FAILED', 'The alias points elsewhere', { hint: 'Look.' });
  };
  const refused = await rollBack(service, running);
  expect([refused.status, refused.json]).toMatchObject([
    409,
    { code: 'HR_ROLLBACK_FAILED', message: 'The alias points elsewhere', hint: 'Look.' },
  ]);
  expect((await service.ask(`/v1/run/${running}`)).json).not.toHaveProperty('rolledBack');
  await service.ask(`/v1/config/${configId}`, { method: 'DELETE' });
  expect(await codeOf(running)).toEqual([409, 'HR_RETRY_CONFIG']);
});

it('records the user of a rollback, and refuses a reader', async () => {
  const users = (['reader', 'operator', 'admin'] as const).map((role) => ({
    name: role,
    role,
    passwordHash: lightHash('right'),
  }));
  const service = await testService({ auth: { users } });
  const upload = { body: VALID, type: 'application/hocon', auth: 'admin:right' };
  const { configId } = (await service.ask('/v1/config', upload)).json as { configId: string };
  const started = await service.ask('/v1/run', { method: 'POST', body: { configId }, auth: 'operator:right' });
  const { runId } = started.json as { runId: string };
  service.threads.last.end('SUCCEEDED');
  await expect.poll(async () => (await rollBack(service, runId, { auth: 'operator:right' })).status).toBe(200);
  expect((await rollBack(service, runId, { auth: 'reader:right' })).status).toBe(403);
  const details = await service.ask(`/v1/run/${runId}`, { auth: 'reader:right' });
  expect(details.json).toMatchObject({ rolledBack: { requestedBy: 'operator' } });
});
