import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SqliteStore } from './store/sqlite-store.ts';
import { FakeThreads } from './testing/fake-threads.test.support.ts';
import { temporaryDirectory } from './testing/temporary-directory.test.support.ts';
import { testService } from './testing/test-service.test.support.ts';

// A script that starts a service, uses many of its features and closes it. Only a leak would keep its process alive.
const USED = `
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from ${JSON.stringify(join(import.meta.dirname, 'start-service.ts'))};
import { defaultSettings } from ${JSON.stringify(join(import.meta.dirname, 'settings/service-settings.ts'))};
const settings = {
  ...defaultSettings(),
  listeners: [{ host: '127.0.0.1', port: 0 }],
  storage: { type: 'sqlite', path: process.env.STORE },
};
const service = await startService({ settings });
const ask = async (path, type, body) => {
  const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body };
  return (await fetch(service.urls[0] + path, request)).json();
};
const config = 'connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 3 }], pipelines: [{ name: p, stages: [] }], indexer { type: JSONLines }, jsonl { path: ' + JSON.stringify(process.env.STORE + '/out.jsonl') + ' }\\n';
const { configId } = await ask('/v1/config', 'application/hocon', config + '#'.repeat(20_000));
const { runId } = await ask('/v1/run', 'application/json', JSON.stringify({ configId }));
await ask('/v1/preview', 'application/json', JSON.stringify({ configId }));
await ask('/v1/systemstats');
while (!(await ask('/v1/run/' + runId)).done) await sleep(20);
await service.close();
console.log('closed', process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap'));
`;

describe('a closed service', () => {
  afterEach(() => void vi.useRealTimers());

  it('does not keep its process alive', async () => {
    const directory = temporaryDirectory();
    const script = join(directory, 'used.mjs');
    writeFileSync(script, USED);
    const { stdout } = await promisify(execFile)(process.execPath, [script], {
      env: { ...process.env, STORE: join(directory, 'store') },
      timeout: 50_000,
    });
    expect(stdout).toBe('closed []\n');
  });

  it('has closed its store, even if a run thread hangs', async () => {
    const path = temporaryDirectory();
    const threads = Object.assign(new FakeThreads(), { close: () => new Promise<void>(() => {}) });
    const service = await testService({ storage: { type: 'sqlite', path } }, { threads });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    let closed = false;
    void service.service.close().then(() => {
      closed = true;
    });
    while (!closed) {
      await vi.advanceTimersByTimeAsync(1000);
      await setImmediate();
    }
    expect(service.log.warnings.join()).toContain('hangs');
    await new SqliteStore(path).close();
  });
});
