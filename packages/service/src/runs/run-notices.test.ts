import type { Notice } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { testService, VALID } from '../testing/test-service.test.support.ts';

const notice = (component: string, count: number, more: Partial<Notice> = {}): Notice => ({
  code: 'bytes.invalid',
  class: 'changed',
  component,
  count,
  examples: [],
  ...more,
});

describe('the notices of a run', () => {
  it('are counted by code while it runs, and are in its result with examples', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    const run = service.threads.last;
    const details = async () => (await service.ask(`/v1/run/${runId}`)).json as RunDetails;
    expect((await details()).progress).not.toHaveProperty('notices');
    run.notices = [notice('a', 2), notice('b', 3)];
    expect((await details()).progress.notices).toEqual([{ code: 'bytes.invalid', class: 'changed', count: 5 }]);
    run.notices = [notice('a', 2, { examples: [{ file: 'a.csv', line: 3 }] }), notice('b', 4)];
    run.end('SUCCEEDED');
    await expect.poll(async () => (await details()).done).toBe(true);
    const { runResult, progress } = await details();
    expect(runResult?.notices).toEqual(run.notices);
    expect(progress.notices).toEqual([{ code: 'bytes.invalid', class: 'changed', count: 6 }]);
  });

  it('are metrics by code and class, of running and finished runs', async () => {
    const service = await testService();
    const total = async (labels: string) => {
      const { text } = await service.ask('/metrics');
      return Number(new RegExp(`^headrace_notices_total\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    const invalid = 'code="bytes.invalid",class="changed"';
    expect(await total(invalid)).toBe(0);
    for (const [count, sum] of [
      [2, 2],
      [5, 7],
    ] as const) {
      await service.run(await service.store());
      const run = service.threads.last;
      run.notices = [notice('a', count), notice('b', 1, { code: 'custom.short', class: 'loss' })];
      expect(await total(invalid)).toBe(sum);
      run.end('SUCCEEDED');
      await expect.poll(() => total(invalid)).toBe(sum);
    }
    expect(await total('code="custom.short",class="loss"')).toBe(2);
  });

  it('have no secrets of the config in their examples', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store(`${VALID}\ndb { password: hunter22 }`));
    const run = service.threads.last;
    run.notices = [notice('a', 1, { examples: [{ value: 'it is hunter22', line: 1 }] })];
    run.end('SUCCEEDED');
    const examples = async () => {
      const { runResult } = (await service.ask(`/v1/run/${runId}`)).json as RunDetails;
      return runResult?.notices?.[0]?.examples;
    };
    await expect.poll(examples).toEqual([{ value: 'it is ******', line: 1 }]);
  });
});
