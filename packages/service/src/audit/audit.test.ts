import { mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FailureDelay } from '../auth/failure-delay.ts';
import { newToken, parseTokenHash } from '../auth/token.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { testService, VALID } from '../testing/test-service.test.support.ts';
import { AuditLog, type AuditRecord } from './audit-log.ts';

const users = [
  { name: 'ann', password: 'annspass', role: 'admin' as const },
  { name: 'bob', password: 'bobspass', role: 'reader' as const },
];

const { token, tokenHash } = newToken();
const tokens = [{ name: 'prometheus', role: 'reader' as const, sha256: parseTokenHash(tokenHash) as string }];

/** A service that writes its audit records to a file. */
async function audited() {
  const path = join(temporaryDirectory(), 'audit.jsonl');
  const service = await testService({ auth: { users, tokens }, audit: { path } });
  const records = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditRecord & { time: string });
  return { path, service, records };
}

describe('the audit log', () => {
  it('records who changed what, from which address, under which request id, and with which result', async () => {
    const { path, service, records } = await audited();
    const stored = await service.ask('/v1/config', { body: VALID, type: 'application/hocon', auth: 'ann:annspass' });
    const { configId } = stored.json as { configId: string };
    const run = await service.ask('/v1/run', { body: { configId }, auth: 'ann:annspass' });
    const { runId } = run.json as { runId: string };
    await service.ask(`/v1/run/${runId}`, { auth: 'bob:bobspass' });
    await service.ask('/v1/config/validate', { body: VALID, type: 'application/hocon', auth: 'bob:bobspass' });
    await service.ask(`/v1/run/${runId}`, { method: 'DELETE', auth: 'bob:bobspass' });
    await service.ask(`/v1/run/${runId}/cancel`, { method: 'POST', auth: 'ann:annspass' });
    await service.ask(`/v1/config/${configId}`, { method: 'DELETE', auth: 'ann:annspass' });
    await service.service.close();
    const ann = { user: 'ann', role: 'admin', address: '127.0.0.1', outcome: 'done' };
    expect(records()).toEqual([
      {
        ...ann,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        requestId: stored.headers.get('x-request-id'),
        action: 'POST /v1/config',
        target: configId,
        status: 200,
      },
      expect.objectContaining({ ...ann, action: 'POST /v1/run', target: runId, status: 200 }),
      expect.objectContaining({
        user: 'bob',
        action: 'DELETE /v1/run/:id',
        target: runId,
        outcome: 'refused',
        status: 403,
      }),
      expect.objectContaining({ ...ann, action: 'POST /v1/run/:id/cancel', target: runId, status: 202 }),
      expect.objectContaining({ ...ann, action: 'DELETE /v1/config/:id', target: configId }),
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // Records contain neither bodies nor credentials.
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|annspass|connectors|Basic/);
  });

  it('records uploaded and deleted files with their names, also if they are refused, and not their content', async () => {
    const { path, service, records } = await audited();
    const put = (name: string, auth: string) =>
      service.ask(`/v1/file/${name}`, { method: 'PUT', body: 'sku\n1\n', type: 'application/octet-stream', auth });
    await put('a.csv', 'bob:bobspass');
    await put('a.csv', 'ann:annspass');
    await put('a.csv', 'ann:annspass');
    await service.ask('/v1/file/a.csv', { method: 'DELETE', auth: 'ann:annspass' });
    await service.service.close();
    const uploaded = { action: 'PUT /v1/file/:name', target: 'a.csv' };
    expect(records()).toMatchObject([
      { ...uploaded, user: 'bob', outcome: 'refused', status: 403 },
      { ...uploaded, user: 'ann', outcome: 'done', status: 201 },
      { ...uploaded, user: 'ann', status: 409 },
      { action: 'DELETE /v1/file/:name', target: 'a.csv', user: 'ann', outcome: 'done', status: 204 },
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('sku');
  });

  it('records failed logins, with the user name if the user exists', async () => {
    const { service, records } = await audited();
    for (const auth of ['ann:wrong', 'mypassword:x']) await service.ask('/v1/config', { auth });
    await service.ask('/v1/config');
    await service.service.close();
    const login = { action: 'login', outcome: 'refused', status: 401, target: null, role: null };
    expect(records()).toEqual([
      expect.objectContaining({ ...login, user: 'ann' }),
      expect.objectContaining({ ...login, user: null }),
    ]);
  });

  it('records only some of many failed logins that get status 429, and counts them all in the metrics', async () => {
    const { service, records } = await audited();
    await service.ask('/v1/config', { auth: 'ann:wrong' });
    vi.spyOn(FailureDelay.prototype, 'failed').mockResolvedValue(false);
    onTestFinished(() => void vi.restoreAllMocks());
    for (let i = 0; i < 9; i++) {
      expect((await service.ask('/v1/run', { method: 'POST', auth: 'ann:wrong' })).status).toBe(429);
    }
    const { text } = await service.ask('/metrics', { headers: { authorization: `Bearer ${token}` } });
    expect(text).toContain('headrace_login_failures_total{reason="wrong"} 1\n');
    expect(text).toContain('headrace_login_failures_total{reason="throttled"} 9\n');
    await service.service.close();
    const login = { action: 'login', user: 'ann', outcome: 'refused' };
    expect(records()).toEqual([
      expect.objectContaining({ ...login, status: 401 }),
      ...[1, 2, 4, 8].map((tries) => expect.objectContaining({ ...login, status: 429, tries })),
    ]);
  });

  it('creates a new file after log rotation has moved the old one', async () => {
    const { path, service, records } = await audited();
    const store = () => service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon', auth: 'ann:annspass' });
    await store();
    await expect.poll(() => records().length).toBe(1);
    renameSync(path, `${path}.1`);
    await store();
    await service.service.close();
    expect(records()).toHaveLength(1);
  });

  it('writes to the service log if no file is configured or the file cannot be written', async () => {
    const service = await testService({ auth: { users }, audit: {} });
    await service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon', auth: 'ann:annspass' });
    await expect.poll(() => service.log.infos.at(-1)).toContain('Audit');

    const lines: unknown[] = [];
    const path = join(temporaryDirectory(), 'audit.jsonl');
    const { silentLogger } = await import('../silent-logger.ts');
    const log = new AuditLog({ path }, { ...silentLogger, warn: (fields: unknown) => void lines.push(fields) });
    renameSync(path, `${path}.1`);
    mkdirSync(path);
    const record = {
      requestId: 'r',
      user: null,
      role: null,
      address: '::1',
      action: 'login',
      target: null,
      outcome: 'refused',
      status: 401,
    };
    log.add(record);
    await log.close();
    expect(lines).toEqual([expect.objectContaining({ audit: true, ...record })]);
  });

  it('prevents the start of the service if the audit file cannot be written', async () => {
    const path = join(temporaryDirectory(), 'none', 'audit.jsonl');
    await expect(testService({ audit: { path } })).rejects.toThrow(
      `The audit log ${path} (audit.path) cannot be written`,
    );
  });
});
