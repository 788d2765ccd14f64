import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { testService, VALID } from '../testing/test-service.test.support.ts';
import { ThreadsOnDemand } from './threads-on-demand.ts';

describe('a config with thousands of problems', () => {
  it('is reported with the first problems and the number of the others, also in the details of its runs', async () => {
    const service = await testService({}, { threads: new ThreadsOnDemand({ runHeapMb: 256, memoryMb: 256 }) });
    const wrong = Array.from({ length: 1200 }, (_, i) => `wrong${i}: 1`).join(', ');
    const body = VALID.replace('source: title', `source: title, ${wrong}`);
    const request = { body, type: 'application/hocon' };
    const last = { severity: 'error', message: '…and 201 more problems' };

    const checked = (await service.ask('/v1/config/validate', request)).json as { valid: boolean; problems: object[] };
    expect(checked.valid).toBe(false);
    expect(checked.problems).toHaveLength(1000);
    expect(checked.problems[0]).toMatchObject({ path: 'pipelines[0].stages[0].wrong0' });
    expect(checked.problems.at(-1)).toMatchObject(last);

    const { configId } = (await service.ask('/v1/config', request)).json as { configId: string };
    const { runId } = await service.run(configId);
    const { runResult } = (await service.ended(runId)) as { runResult: NonNullable<RunDetails['runResult']> };
    expect(runResult.problems).toHaveLength(1000);
    expect(runResult.problems.at(-1)).toMatchObject(last);
    expect(runResult.message.length).toBeLessThan(300_000);
    expect(runResult.message).toContain('RUN SUMMARY: Failure.');
  });
});
