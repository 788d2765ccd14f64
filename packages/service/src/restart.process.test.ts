import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunDetails } from './api/run-details.ts';
import { temporaryDirectory } from './testing/temporary-directory.test.support.ts';
import { testService } from './testing/test-service.test.support.ts';

// A script that runs the service in a separate process. Its runs publish documents and never end.
const SERVICE = `
import { startService } from ${JSON.stringify(join(import.meta.dirname, 'start-service.ts'))};
import { defaultSettings } from ${JSON.stringify(join(import.meta.dirname, 'settings/service-settings.ts'))};
const counts = { published: 10, created: 1, succeeded: 5, failed: 1, dropped: 1 };
const progress = () => ({ counts, connectors: [{ name: 'files', status: 'running', counts, seconds: 0.001 }], stages: [], notices: [] });
const threads = {
  start: ({ runId }) => ({ runId, progress, stop() {}, done: new Promise(() => {}) }),
  preview: async () => ({ results: [], problems: [], notices: [] }),
  close: async () => {},
};
const settings = {
  ...defaultSettings(),
  listeners: [{ host: '127.0.0.1', port: 0 }],
  storage: { type: 'sqlite', path: process.env.STORE },
};
const service = await startService({ settings, catalogs: [], threads });
console.log(service.urls[0]);
`;

async function startProcess(store: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SERVICE], {
    env: { ...process.env, STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [string];
  return { url, child };
}

const json = { 'content-type': 'application/json' };

describe('a killed service', () => {
  it('loses nothing that it acknowledged, and marks its running runs as ended after a restart', async () => {
    const store = temporaryDirectory();
    const { url, child } = await startProcess(store);
    const configIds: string[] = [];
    const upload = async () => {
      const answer = await fetch(`${url}/v1/config`, { method: 'POST', headers: json, body: '{"a": 1}' }).catch(
        () => undefined,
      );
      if (answer?.ok !== true) return false;
      configIds.push(((await answer.json()) as { configId: string }).configId);
      return true;
    };
    await upload();
    const body = JSON.stringify({ configId: configIds[0] });
    const started = await fetch(`${url}/v1/run`, { method: 'POST', headers: json, body });
    const { runId } = (await started.json()) as RunDetails;
    // A sample is taken when the counts are stored, and at the start. A list is read from the store, after earlier writes.
    const samples = async () => (await (await fetch(`${url}/v1/run/${runId}/samples`)).json()) as { items: unknown[] };
    await expect.poll(async () => (await samples()).items.length).toBeGreaterThan(1);
    await (await fetch(`${url}/v1/run?limit=1`)).text();
    const clients = Array.from({ length: 8 }, async () => {
      while (await upload());
    });
    while (configIds.length < 300) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), ...clients]);
    const ended = Date.now() / 1000;

    const after = await testService({ storage: { type: 'sqlite', path: store } });
    const kept = Object.keys((await after.ask('/v1/config')).json);
    expect(configIds.filter((id) => !kept.includes(id))).toEqual([]);
    const details = await after.details(runId);
    expect(details.endTime).toBeGreaterThan(details.startTime);
    expect(details.endTime).toBeLessThan(ended);
    expect(details).toMatchObject({
      status: 'INTERRUPTED',
      done: true,
      runResult: {
        status: false,
        message: expect.stringContaining('docs FAILED'),
        problems: [{ code: 'HR_RUN_INTERRUPTED' }],
        connectors: [{ status: 'stopped', succeeded: 5, dropped: 1 }],
      },
      progress: { published: 10, created: 1, pending: 0, succeeded: 5, failed: 5, dropped: 1 },
    });
    expect(after.log.warnings.join()).toContain('1 run was interrupted');
  });

  it('prevents a second service from using its store while it is alive', async () => {
    const store = temporaryDirectory();
    const { child } = await startProcess(store);
    await expect(testService({ storage: { type: 'sqlite', path: store } })).rejects.toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await testService({ storage: { type: 'sqlite', path: store } });
  });
});
