import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { defaultSettings, readServiceFile } from '@headrace/service';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, repository, type Started, start } from './headrace.ts';

/** Returns the URL of a started service from its log. */
async function urlOf({ said, output }: Started): Promise<string> {
  await said('stderr', 'Headrace serves http');
  return /Headrace serves (http:\/\/[^"\s]+)/.exec(output.stderr)?.[1] as string;
}

describe('serve', () => {
  it('serves until SIGTERM, then shuts down cleanly', async () => {
    const file = 'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: sqlite, path: store }\n';
    const cwd = directoryWith({ 'service.yml': file });
    const service = start(['serve', 'service.yml'], { cwd });
    const url = await urlOf(service);
    expect((await fetch(`${url}/v1/livez`)).status).toBe(200);
    expect((await fetch(`${url}/v1/readyz`)).status).toBe(200);
    expect(existsSync(join(cwd, 'store'))).toBe(true);
    service.child.kill('SIGTERM');
    const { code, signal, stderr } = await service.ended;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    for (const line of stderr.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    await expect(fetch(`${url}/v1/livez`)).rejects.toThrow();
  });

  it('has the examples as presets, with the example that needs a module', async () => {
    const out = directoryWith({
      'service.yml':
        'presetConfig: { configDirectoryPath: ./examples }\nserver: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n',
    });
    const service = start(['serve', join(out, 'service.yml')], { cwd: repository, env: { HEADRACE_OUT: out } });
    const url = await urlOf(service);
    const configs = (await (await fetch(`${url}/v1/config`)).json()) as Record<string, unknown>;
    expect(Object.keys(configs).sort()).toEqual([
      'airports.conf',
      'cached.conf',
      'children.conf',
      'custom-stage.conf',
      'distributed.conf',
      'movies.conf',
    ]);
    const body = JSON.stringify({ configId: 'custom-stage.conf' });
    const headers = { 'content-type': 'application/json' };
    const started = await fetch(`${url}/v1/run`, { method: 'POST', headers, body });
    const { runId } = (await started.json()) as { runId: string };
    const run = async () => (await (await fetch(`${url}/v1/run/${runId}`)).json()) as { done: boolean; status: string };
    await expect.poll(async () => (await run()).done).toBe(true);
    expect(await run()).toMatchObject({ status: 'SUCCEEDED' });
    expect(readFileSync(join(out, 'near-denver.jsonl'), 'utf8')).toContain('Boulder');
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('listens on 127.0.0.1 without a service file, in the way npm start runs it', async () => {
    const local = [{ host: '127.0.0.1', port: 8080 }];
    expect(defaultSettings().listeners).toEqual(local);
    expect(readFileSync(join(repository, 'scripts/start.mjs'), 'utf8')).toContain("'serve', 'examples/service.yml'");
    const { settings, problems } = await readServiceFile(join(repository, 'examples/service.yml'));
    expect(problems).toEqual([]);
    expect(settings?.listeners).toEqual(local);
    expect(settings?.auth).toBeUndefined();
  });

  it('listens on 127.0.0.1 unless users are configured', async () => {
    const files = {
      'alone.yml': 'server: { applicationConnectors: [{ type: http, port: 0 }] }\nstorage: { type: memory }\n',
      'users.yml': 'server: { port: 0 }\nstorage: { type: memory }\nauth: { type: basicAuth, password: secret }\n',
    };
    const bound = async (file: string) => {
      const service = start(['serve', file], { cwd: directoryWith(files) });
      await service.said('stderr', 'Headrace serves http');
      service.child.kill('SIGTERM');
      await service.ended;
      return /Listening on http:\/\/([\d.]+):/.exec(service.output.stderr)?.[1];
    };
    expect(await bound('alone.yml')).toBe('127.0.0.1');
    expect(await bound('users.yml')).toBe('0.0.0.0');
  });

  it('listens on other addresses without authentication only if the service file allows it', async () => {
    const open = 'server: { host: 0.0.0.0, port: 0 }\nstorage: { type: memory }\n';
    const cwd = directoryWith({ 'open.yml': open, 'said.yml': `${open}auth: none\n` });
    const { code, stderr } = await headrace(['serve', 'open.yml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^open\.yml:1:11: error: HR_SERVICE_UNPROTECTED: .* write auth: none\. \[server\.host\]\n$/);
    const service = start(['serve', 'said.yml'], { cwd });
    expect((await fetch(`${await urlOf(service)}/v1/livez`)).status).toBe(200);
    expect(service.output.stderr).toContain('Authentication is off');
    service.child.kill('SIGTERM');
    await service.ended;
  });

  it('exits with 2 and one line for each mistake in the service file', async () => {
    const cwd = directoryWith({ 'service.yml': 'sever: { port: 1 }\nlimits:\n  maxRuns: many\n' });
    const { code, stderr } = await headrace(['serve', 'service.yml'], { cwd });
    expect(code).toBe(2);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^service\.yml:1:1: error: .*sever/);
    expect(lines[1]).toMatch(/^service\.yml:3:12: error: .*maxRuns/);
  });

  it('exits with 2 if the service file cannot be read', async () => {
    const { code, stderr } = await headrace(['serve', 'none.yml'], { cwd: directoryWith() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^none\.yml: error: .*cannot be read/);
  });

  it('exits with 1 and without a stack trace if the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const text = `server: { host: 127.0.0.1, port: ${port} }\nstorage: { type: memory }\n`;
    const { code, stderr } = await headrace(['serve', 'service.yml'], { cwd: directoryWith({ 'service.yml': text }) });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`headrace: The service cannot listen on port ${port}`);
    expect(stderr).not.toContain('    at ');
  });
});
