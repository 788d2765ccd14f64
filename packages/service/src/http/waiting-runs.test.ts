import { expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { testService } from '../testing/test-service.test.support.ts';

const MESSAGE = 'The run waits for the rebuild of products by the run 1';

it('a run that waits for another run says so, and lets the runs in the queue begin', async () => {
  const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
  const configId = await service.store();
  const waiting = await service.run(configId);
  const first = service.threads.last;
  const queued = await service.run(configId);
  expect((await service.details(queued.runId)).status).toBe('QUEUED');
  first.waiting = MESSAGE;
  first.listeners.onWait?.();
  expect((await service.details(queued.runId)).status).toBe('RUNNING');
  expect((await service.details(waiting.runId)).progress.waiting).toBe(MESSAGE);
  let continues = false;
  const placed = first.listeners.onContinue?.().then(() => {
    continues = true;
  });
  const third = await service.run(configId);
  expect(continues).toBe(false);
  service.threads.last.end('SUCCEEDED');
  await service.ended(queued.runId);
  await placed;
  expect((await service.details(third.runId)).status).toBe('QUEUED');
  first.end('SUCCEEDED');
  expect((await service.ended(waiting.runId)).progress.waiting).toBeUndefined();
  await expect.poll(async () => (await service.details(third.runId)).status).toBe('RUNNING');
  service.threads.last.end('SUCCEEDED');
  await service.ended(third.runId);
});

it('a run that is cancelled while it waits takes no place', async () => {
  const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
  const configId = await service.store();
  const waiting = await service.run(configId);
  service.threads.last.listeners.onWait?.();
  await service.ask(`/v1/run/${waiting.runId}/cancel`, { method: 'POST' });
  expect((await service.ended(waiting.runId)).status).toBe('CANCELLED');
  const next = await service.run(configId);
  const more = await service.run(configId);
  expect((await service.details(next.runId)).status).toBe('RUNNING');
  expect((await service.details(more.runId)).status).toBe('QUEUED');
});
