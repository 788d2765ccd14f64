import type { RoleHealth } from '@headrace/distributed';
import { type Notice, noCounts, noDocuments, STAGE_COUNTERS, type StageProgress } from '@headrace/engine';
import { afterEach, expect, it } from 'vitest';
import { type HealthServer, startHealthServer } from './health-server.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

const stage = (counts: Partial<StageProgress>): StageProgress => ({
  connector: 'c',
  pipeline: 'p',
  stage: 's',
  class: 'SetLookup',
  ...noCounts(STAGE_COUNTERS),
  meanMillis: 0,
  ...counts,
});

/** A running role with the counts of these stages. */
function role(stages: readonly StageProgress[], notices: readonly Notice[] = []): RoleHealth {
  const health = { work: 'nothing', problem: undefined, isConnected: true, lags: [] };
  return {
    name: 'worker',
    state: 'running',
    lastFailure: undefined,
    restarts: 0,
    counts: noDocuments(),
    stages,
    notices,
    health: async () => health as never,
  };
}

async function metricsOf(...roles: [RoleHealth, ...RoleHealth[]]): Promise<string> {
  const [counting, ...others] = roles;
  server = await startHealthServer(0, counting, others);
  return (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
}

it('the metrics of a process contain every counter of the stages of its roles, by class', async () => {
  const text = await metricsOf(
    role([stage({ processed: 4, skipped: 2, meanMillis: 500 })]),
    role([stage({ processed: 1, failed: 1 })]),
  );
  const label = '{class="SetLookup"}';
  expect(text).toContain(`headrace_stage_documents_total${label} 5\n`);
  expect(text).toContain(`headrace_stage_skipped_total${label} 2\n`);
  expect(text).toContain(`headrace_stage_failures_total${label} 1\n`);
  expect(text).toContain(`headrace_stage_cache_hits_total${label} 0\n`);
  expect(text).toContain(`headrace_stage_seconds_total${label} 2\n`);
});

it('the time of a stage never falls, although it is an estimate', async () => {
  const stages = [stage({ processed: 4, meanMillis: 500 })];
  const worker = role(stages);
  await metricsOf(worker);
  Object.assign(stages[0] as StageProgress, { processed: 5, meanMillis: 100 });
  const again = await fetch(`http://127.0.0.1:${server?.port}/metrics`);
  expect(await again.text()).toContain('headrace_stage_seconds_total{class="SetLookup"} 2\n');
});

it('the metrics of a process have the notices of all its roles', async () => {
  const notice: Notice = { code: 'date.unparsed', class: 'changed', component: 'dates', count: 2, examples: [] };
  const text = await metricsOf(role([], [notice]), role([], [notice, { ...notice, component: 'other' }]));
  expect(text).toMatch(/^headrace_role_notices_total\{code="date.unparsed",class="changed"\} 6$/m);
  expect(text).toMatch(/^headrace_role_notices_total\{code="file.skipped",class="loss"\} 0$/m);
});
