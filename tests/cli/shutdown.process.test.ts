import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryWith, type Started, start } from './headrace.ts';

/** Connectors that ignore the request to stop. Nothing can interrupt the work of the second one. */
const CONNECTORS = `
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const parameters = { type: 'object', properties: {}, additionalProperties: false };

/** Ignores the request to stop. */
export class Stubborn {
  static kind = 'connector';
  static parameters = parameters;
  execute() {
    return new Promise(() => setInterval(() => undefined, 1000));
  }
}

/** Logs its start, then computes forever in SQLite and blocks its thread. */
export class Endless {
  static kind = 'connector';
  static parameters = parameters;
  execute() {
    writeFileSync('begun', '');
    new DatabaseSync(':memory:').exec('WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c');
  }
}
`;

function configWith(connector: 'Stubborn' | 'Endless') {
  return {
    connectors: [
      { class: 'SequenceConnector', name: 'numbers', pipeline: 'p', numDocs: 5 },
      { class: `./connectors.mjs#${connector}`, name: 'last' },
    ],
    pipelines: [{ name: 'p', stages: [] }],
    indexer: { type: 'Nop' },
  };
}

/** Starts a service with an endless run. */
async function serving(
  graceSeconds: number,
  connector: 'Stubborn' | 'Endless' = 'Stubborn',
): Promise<{ service: Started; cwd: string; url: string; runId: string }> {
  const settings = `
server: { host: 127.0.0.1, port: 0 }
storage: { path: store }
components: [./connectors.mjs]
shutdown: { graceSeconds: ${graceSeconds} }
`;
  const cwd = directoryWith({ 'service.yml': settings, 'connectors.mjs': CONNECTORS });
  const { service, url } = await serve(cwd);
  const post = async (path: string, body: unknown) =>
    (await (
      await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as { configId: string; runId: string };
  const { configId } = await post('/v1/config', configWith(connector));
  const { runId } = await post('/v1/run', { configId });
  await expect.poll(async () => (await details(url, runId)).progress.succeeded).toBe(5);
  if (connector === 'Endless') await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  return { service, cwd, url, runId };
}

async function serve(cwd: string): Promise<{ service: Started; url: string }> {
  const service = start(['serve', 'service.yml'], { cwd });
  await service.said('stderr', 'Headrace serves http');
  return { service, url: /Headrace serves (http:\/\/[^"\s]+)/.exec(service.output.stderr)?.[1] as string };
}

async function details(url: string, runId: string) {
  return (await (await fetch(`${url}/v1/run/${runId}`)).json()) as {
    status: string;
    done: boolean;
    progress: Record<string, number>;
  };
}

describe('a shutdown with a run that does not stop', () => {
  it('by SIGHUP, the signal of a closed terminal, finishes its work as after SIGTERM', async () => {
    const { service, cwd, runId } = await serving(1);
    service.child.kill('SIGHUP');
    expect(await service.ended).toMatchObject({
      code: 0,
      signal: null,
      stderr: expect.stringContaining('SIGHUP: shutting down'),
    });
    const again = await serve(cwd);
    expect(await details(again.url, runId)).toMatchObject({ status: 'INTERRUPTED', progress: { succeeded: 5 } });
  });

  it('ends after the grace period with exit code 0, and reports the run as INTERRUPTED with correct counts', async () => {
    const { service, cwd, runId } = await serving(1);
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
    const again = await serve(cwd);
    const run = await details(again.url, runId);
    expect(run).toMatchObject({
      status: 'INTERRUPTED',
      done: true,
      progress: { published: 5, created: 0, pending: 0, succeeded: 5, failed: 0, dropped: 0 },
    });
    again.service.child.kill('SIGTERM');
    expect(await again.service.ended).toMatchObject({ code: 0 });
  });

  it('ends immediately at a second signal, even in a long grace period', async () => {
    const { service, url } = await serving(600);
    service.child.kill('SIGTERM');
    await service.said('stderr', 'shutting down');
    await expect.poll(async () => (await fetch(`${url}/v1/readyz`)).status).toBe(503);
    const refused = await fetch(`${url}/v1/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"config": {}}',
    });
    expect(refused.status).toBe(503);
    // A launcher may forward the same signal, so the service ignores a second signal that comes too soon.
    const again = setInterval(() => service.child.kill('SIGTERM'), 100);
    const { signal } = await service.ended;
    clearInterval(again);
    expect(signal).toBe('SIGTERM');
  });
});

it('SIGHUP reads the presets of a service again, and SIGTERM still stops it', async () => {
  const preset = (text: string) => `name: ${text}\n`;
  const cwd = directoryWith({
    'service.yml':
      'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\npresetConfig: { configDirectoryPath: presets }\n',
    'presets/a.conf': preset('one'),
  });
  const { service, url } = await serve(cwd);
  const name = async () => ((await (await fetch(`${url}/v1/config/a.conf`)).json()) as { name: string }).name;
  expect(await name()).toBe('one');
  writeFileSync(join(cwd, 'presets/a.conf'), preset('two'));
  service.child.kill('SIGHUP');
  await service.said('stderr', 'The presets were read again');
  expect(await name()).toBe('two');
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
});

describe('a shutdown with a thread that hangs in a library', () => {
  it('closes everything else and kills its process', async () => {
    const { service, cwd, runId } = await serving(1, 'Endless');
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({
      signal: 'SIGKILL',
      stderr: expect.stringMatching(/hangs and cannot be stopped/),
    });
    const again = await serve(cwd);
    expect(await details(again.url, runId)).toMatchObject({ status: 'INTERRUPTED', done: true });
    again.service.child.kill('SIGTERM');
    expect(await again.service.ended).toMatchObject({ code: 0 });
  });

  it('ends immediately at a second signal', async () => {
    const { service } = await serving(600, 'Endless');
    service.child.kill('SIGTERM');
    await service.said('stderr', 'shutting down');
    const again = setInterval(() => service.child.kill('SIGTERM'), 100);
    const { signal } = await service.ended;
    clearInterval(again);
    expect(signal).toBe('SIGTERM');
  });
});
