import type { RoleHealth } from '@headrace/distributed';
import { type Notice, noDocuments } from '@headrace/engine';
import { expect, it, onTestFinished } from 'vitest';
import { startHealthServer } from './health-server.ts';

function role(notices: readonly Notice[]): RoleHealth {
  return {
    name: 'worker',
    state: 'running',
    lastFailure: undefined,
    restarts: 0,
    counts: noDocuments(),
    notices,
    health: async () => ({ problem: undefined, work: '', isConnected: true, lags: [] }),
  };
}

it('the metrics of a process have the notices of all its roles', async () => {
  const notice: Notice = { code: 'date.unparsed', class: 'changed', component: 'dates', count: 2, examples: [] };
  const server = await startHealthServer(0, role([notice]), [role([notice, { ...notice, component: 'other' }])]);
  onTestFinished(() => server.close());
  const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(text).toMatch(/^headrace_role_notices_total\{code="date.unparsed",class="changed"\} 6$/m);
  expect(text).toMatch(/^headrace_role_notices_total\{code="file.skipped",class="loss"\} 0$/m);
});
