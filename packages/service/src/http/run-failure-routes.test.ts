import type { KeptFailure } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { defaultSettings } from '../settings/service-settings.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { StoreError } from '../store/store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

function failure(n: number, over: Partial<KeptFailure> = {}): KeptFailure {
  return {
    id: `d${n}`,
    connector: 'files',
    pipeline: 'main',
    at: 'upper',
    failure: { code: 'HR_STAGE_FAILED', message: `document ${n} is not liked` },
    document: { kind: 'input', json: `{"id":"d${n}","whole":1.0}`, binaryFields: [] },
    ...over,
  };
}

const encoded = (n: number) =>
  failure(n, {
    at: 'indexer',
    status: 400,
    document: { kind: 'encoded', text: `{"index":{}}\n{"n":${n}}\n`, encoding: 'abc' },
  });

/** Starts a run with failures, and waits for its end. */
async function failedRun(service: TestService, failures: KeptFailure[], configId?: string): Promise<RunDetails> {
  const { runId } = await service.run(configId ?? (await service.store()));
  service.threads.last.listeners.onFailures?.(failures);
  service.threads.last.end('SUCCEEDED');
  return service.ended(runId);
}

const retry = (service: TestService, runId: string, body?: object, headers: Record<string, string> = {}) =>
  service.ask(`/v1/run/${runId}/retry`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });

/** The runs of some tests do not end, so the limit is high. */
const shared = sharedService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 100 } });

describe('the failed documents of a run', () => {
  it('are listed while it runs, page by page, with unchanged numbers', async () => {
    const service = shared();
    const { runId } = await service.run(await service.store());
    const { listeners } = service.threads.last;
    listeners.onFailures?.([failure(1), encoded(2)]);
    listeners.onFailures?.([failure(3, { at: 'connector', id: 'a.csv:3' })]);
    const path = `/v1/run/${runId}/failures`;
    const first = await service.ask(`${path}?limit=2`);
    expect(first.text).toContain('"whole":1.0');
    expect(first.json).toEqual({
      items: [
        {
          id: 'd1',
          connector: 'files',
          pipeline: 'main',
          at: 'upper',
          code: 'HR_STAGE_FAILED',
          message: 'document 1 is not liked',
          processed: false,
          document: { id: 'd1', whole: 1 },
        },
        expect.objectContaining({
          at: 'indexer',
          status: 400,
          processed: true,
          encoding: 'abc',
          document: '{"index":{}}\n{"n":2}\n',
        }),
      ],
      next: expect.any(String),
    });
    const { next } = first.json as { next: string };
    const second = (await service.ask(`${path}?limit=2&after=${next}`)).json as { items: object[]; next: null };
    expect(second).toMatchObject({ items: [{ id: 'a.csv:3' }], next: null });
    const at = (await service.ask(`${path}?at=indexer&connector=files`)).json;
    expect(at).toMatchObject({ items: [{ id: 'd2' }], next: null });
    expect((await service.ask(`${path}?connector=others`)).json).toEqual({ items: [], next: null });
  });

  it('are grouped by reason, with a page and a retry for each group', async () => {
    const service = await testService();
    const { document: _, ...unreadable } = failure(9, { at: 'connector', id: 'a.csv:3' });
    const { runId } = await failedRun(service, [failure(1), encoded(2), failure(3), unreadable]);
    const path = `/v1/run/${runId}/failures`;
    const { json } = await service.ask(`${path}/groups?limit=2`);
    expect(json).toMatchObject({
      items: [
        { count: 2, replayable: 2, example: { id: 'd1', at: 'upper', document: { id: 'd1' } } },
        { count: 1, replayable: 1, example: { id: 'd2', at: 'indexer' } },
      ],
      groups: 3,
      failures: 4,
    });
    const [{ group }] = (json as { items: [{ group: string }] }).items;
    const all = await service.ask(`${path}?group=${group}&limit=1`);
    expect(all.json).toMatchObject({ items: [{ id: 'd1' }], next: expect.any(String) });
    const records = (await service.ask(`${path}/groups?at=connector`)).json as { items: [{ group: string }] };
    expect(records).toMatchObject({ items: [{ count: 1, replayable: 0 }], groups: 1, failures: 1 });

    const refused = await retry(service, runId, { group: records.items[0].group });
    expect(refused.json).toMatchObject({ status: 409, code: 'HR_RETRY_NOTHING' });
    const again = await retry(service, runId, { group });
    expect(again.json).toMatchObject({ retryOf: runId, retryGroup: group });
    await expect.poll(() => service.threads.runs.length).toBe(2);
    const documents = service.threads.last.request.retry?.map((line) => JSON.parse(line).id);
    expect(documents).toEqual(['d1', 'd3']);
  });

  it('have examples in a bounded answer, however large the documents are', async () => {
    const service = shared();
    const json = `{"id":"big","text":"${'x'.repeat(200_000)}"}`;
    const large = (at: string) => failure(1, { at, document: { kind: 'input', json, binaryFields: [] } });
    const { runId } = await failedRun(service, ['a', 'b', 'c'].map(large));
    const { text } = await service.ask(`/v1/run/${runId}/failures/groups`);
    expect(text.length).toBeLessThan(260_000);
    const examples = (JSON.parse(text) as { items: { example: object }[] }).items.map(({ example }) => example);
    expect(examples.filter((example) => 'document' in example)).toHaveLength(1);
    expect(examples[2]).toMatchObject({ omitted: expect.stringContaining('too large') });
    expect((await service.ask(`/v1/run/${runId}/failures/groups?limit=101`)).status).toBe(400);
  });

  it('are events of the run only up to a limit, and all of them are stored', async () => {
    const service = shared();
    const failures = Array.from({ length: 1500 }, (_, n) =>
      failure(n, { document: { kind: 'encoded', text: '', encoding: 'e' } }),
    );
    const { runId } = await service.run(await service.store());
    service.threads.last.listeners.onFailures?.(failures.slice(0, 600));
    service.threads.last.listeners.onFailures?.(failures.slice(600));
    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    const { text } = await service.ask(`/v1/run/${runId}/events`, { headers: { 'last-event-id': '0.0' } });
    expect(text.match(/"id":"d(\d+)"/g)?.at(-1)).toBe('"id":"d999"');
    expect((await service.ask(`/v1/run/${runId}/failures/groups`)).json).toMatchObject({ failures: 1500 });
  });

  it('need an existing run', async () => {
    const service = shared();
    expect((await service.ask('/v1/run/none/failures?after=x')).json).toMatchObject({
      status: 400,
      hint: 'Send the request without "after" to get the first page.',
    });
    for (const path of ['failures/groups', 'samples']) {
      expect((await service.ask(`/v1/run/none/${path}`)).json).toMatchObject({ code: 'HR_RUN_NOT_FOUND' });
    }
    const answer = await service.ask('/v1/run/none/failures');
    expect(answer.json).toMatchObject({ status: 404, code: 'HR_RUN_NOT_FOUND' });
    expect((await retry(service, 'none')).json).toMatchObject({ status: 404, code: 'HR_RUN_NOT_FOUND' });
  });

  it('are listed without the secrets of the config', async () => {
    const service = shared();
    const { runId } = await failedRun(service, [
      failure(1, { failure: { code: 'HR_STAGE_FAILED', message: 'login with hunter2 failed', hint: 'not hunter2' } }),
    ]);
    const { text } = await service.ask(`/v1/run/${runId}/failures`);
    expect(text).toContain('login with ****** failed');
    expect(text).not.toContain('hunter2');
  });

  it('are returned in smaller pages if they are large', async () => {
    const service = shared();
    const json = `{"id":"big","text":"${'x'.repeat(1_000_000)}"}`;
    const large = (n: number) => failure(n, { document: { kind: 'input', json, binaryFields: [] } });
    const { runId } = await failedRun(service, [1, 2, 3, 4, 5, 6, 7].map(large));
    const page = (await service.ask(`/v1/run/${runId}/failures`)).json as { items: object[]; next: string };
    expect(page.items.length).toBeLessThan(7);
    const rest = (await service.ask(`/v1/run/${runId}/failures?after=${page.next}`)).json as typeof page;
    expect(page.items.length + rest.items.length).toBe(7);
    expect(rest.next).toBeNull();
  });

  it('are all stored before the end of their run, even if the store cannot be written for some time', async () => {
    class FailingStore extends MemoryStore {
      broken = false;
      override async addFailures(...failures: Parameters<MemoryStore['addFailures']>): Promise<void> {
        if (this.broken) throw new StoreError('The store cannot be written: disk full');
        await super.addFailures(...failures);
      }
    }
    const store = new FailingStore();
    const service = await testService({}, { store });
    const { runId } = await service.run(await service.store());
    store.broken = true;
    service.threads.last.listeners.onFailures?.([failure(1)]);
    service.threads.last.listeners.onFailures?.([failure(2)]);
    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    expect(JSON.parse((await store.runDetails(runId)) as string)).toMatchObject({ done: false });
    store.broken = false;
    await expect.poll(async () => JSON.parse((await store.runDetails(runId)) as string).done).toBe(true);
    expect((await service.ask(`/v1/run/${runId}/failures`)).json).toMatchObject({
      items: [{ id: 'd1' }, { id: 'd2' }],
    });
  });

  it('survive a restart of the service, and are deleted with their run', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage });
    const { runId } = await failedRun(before, [failure(1)]);
    await before.service.close();
    const { defaultSettings } = await import('../settings/service-settings.ts');
    const after = await testService({ storage, limits: { ...defaultSettings().limits, maxRuns: 1 } });
    expect((await after.ask(`/v1/run/${runId}/failures`)).json).toMatchObject({ items: [{ id: 'd1' }] });
    await failedRun(after, []);
    await expect.poll(async () => (await after.ask(`/v1/run/${runId}/failures`)).status).toBe(404);
  });
});

describe('the retry of the failed documents of a run', () => {
  it('is a new run with the same config, and both runs refer to each other', async () => {
    const service = await testService();
    const configId = await service.store();
    const old = await failedRun(service, [failure(1), encoded(2)], configId);
    const answer = await retry(service, old.runId);
    expect(answer.status).toBe(200);
    const details = answer.json as RunDetails;
    expect(details).toMatchObject({ configId, configVersion: 1, retryOf: old.runId });
    expect((await service.details(old.runId)).retriedBy).toBe(details.runId);
    await expect.poll(() => service.threads.runs.length).toBe(2);
    const { retry: lines = [] } = service.threads.last.request;
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['d1', 'd2']);
    expect(lines[0]).toContain('"document":{"id":"d1","whole":1.0}');
    service.threads.last.end('SUCCEEDED');
    expect(await service.ended(details.runId)).toMatchObject({ status: 'SUCCEEDED', retryOf: old.runId });
  });

  it('is queued like other runs, and can be cancelled before it starts', async () => {
    const { defaultSettings } = await import('../settings/service-settings.ts');
    const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
    const old = await failedRun(service, [failure(1)]);
    await service.run(await service.store());
    const { runId, status } = (await retry(service, old.runId)).json as RunDetails;
    expect(status).toBe('QUEUED');
    expect((await retry(service, old.runId)).json).toMatchObject({ status: 409, code: 'HR_RUN_IS_GOING' });
    await service.ask(`/v1/run/${runId}`, { method: 'DELETE' });
    expect(await service.ended(runId)).toMatchObject({ status: 'CANCELLED' });
    expect((await retry(service, old.runId)).status).toBe(200);
  });

  it('is started only once by concurrent requests, and has the id of its request', async () => {
    const service = shared();
    const old = await failedRun(service, [failure(1)]);
    const answers = await Promise.all([1, 2, 3].map(() => retry(service, old.runId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const started = answers.find(({ status }) => status === 200);
    expect(started?.json).toMatchObject({ requestId: started?.headers.get('x-request-id') });
  });

  it('respects preventConcurrentRuns, even if it was off when the run was started', async () => {
    const directory = temporaryDirectory();
    const storage = { type: 'sqlite', path: directory } as const;
    const before = await testService({ storage });
    const configId = await before.store();
    const old = await failedRun(before, [failure(1)], configId);
    await before.service.close();
    const after = await testService({ storage, preventConcurrentRuns: true });
    await after.run(configId);
    expect((await retry(after, old.runId)).json).toMatchObject({ code: 'HR_CONFIG_LOCKED' });
  });

  it('continues even if the retried run cannot be updated', async () => {
    class UnreadableOnce extends MemoryStore {
      #next: 'kept' | 'unreadable' | 'read' = 'kept';
      override async saveRun(...run: Parameters<MemoryStore['saveRun']>): Promise<void> {
        await super.saveRun(...run);
        if (this.#next === 'kept' && run[0].details.includes('"retryOf"')) this.#next = 'unreadable';
      }
      override async runDetails(id: string): Promise<string | undefined> {
        if (this.#next === 'unreadable') {
          this.#next = 'read';
          throw new Error('disk I/O error');
        }
        return super.runDetails(id);
      }
    }
    const service = await testService({ overlap: 'refuse' }, { store: new UnreadableOnce() });
    const configId = await service.store();
    const old = await failedRun(service, [failure(1)], configId);
    const answer = await retry(service, old.runId);
    expect(answer.json).toMatchObject({ status: 'RUNNING', retryOf: old.runId });
    await expect.poll(() => service.threads.runs.length).toBe(2);
    service.threads.last.end('SUCCEEDED');
    const { runId } = answer.json as RunDetails;
    expect(await service.ended(runId)).toMatchObject({ status: 'SUCCEEDED' });
    await service.run(configId);
  });

  it('is refused while the run is running, and if it has no documents to retry', async () => {
    const service = shared();
    const { runId } = await service.run(await service.store());
    service.threads.last.listeners.onFailures?.([failure(1)]);
    expect((await retry(service, runId)).json).toMatchObject({ status: 409, code: 'HR_RUN_IS_GOING' });
    const { document: _, ...unreadable } = failure(2, { at: 'connector' });
    const other = await failedRun(service, [unreadable]);
    expect((await retry(service, other.runId)).json).toMatchObject({ status: 409, code: 'HR_RETRY_NOTHING' });
  });

  it('uses the config version of the run, or another config if the request names it', async () => {
    const service = await testService();
    const configId = await service.store();
    const old = await failedRun(service, [failure(1)], configId);
    const put = { method: 'PUT', body: VALID.replace('title', 'name'), type: 'application/hocon' };
    expect((await service.ask(`/v1/config/${configId}`, put)).status).toBe(200);
    const same = (await retry(service, old.runId)).json as RunDetails;
    expect(same).toMatchObject({ configVersion: 1, configDigest: old.configDigest });
    await expect.poll(() => service.threads.runs.length).toBe(2);
    service.threads.last.end('SUCCEEDED');
    await service.ended(same.runId);
    const now = (await retry(service, old.runId, { configId })).json as RunDetails;
    expect(now).toMatchObject({ configVersion: 2, retryOf: old.runId });
    expect(now.configDigest).not.toBe(old.configDigest);
  });

  it('is refused if the config was deleted, unless the request names another config', async () => {
    const service = shared();
    const configId = await service.store();
    const old = await failedRun(service, [failure(1)], configId);
    await service.ask(`/v1/config/${configId}`, { method: 'DELETE' });
    const refused = await retry(service, old.runId);
    expect(refused.json).toMatchObject({
      status: 409,
      code: 'HR_RETRY_CONFIG',
      message: expect.stringContaining(`The config ${configId} no longer exists`),
      hint: expect.stringContaining('configId'),
    });
    expect((await retry(service, old.runId, { configId: 'none' })).json).toMatchObject({ code: 'HR_CONFIG_UNKNOWN' });
    expect((await retry(service, old.runId, { configId: await service.store() })).status).toBe(200);
  });

  it('is refused for a config that came with the request', async () => {
    const service = shared();
    const started = (await service.ask('/v1/run', { body: { config: VALID } })).json as RunDetails;
    service.threads.last.listeners.onFailures?.([failure(1)]);
    service.threads.last.end('SUCCEEDED');
    await service.ended(started.runId);
    expect((await retry(service, started.runId)).json).toMatchObject({ status: 409, code: 'HR_RETRY_CONFIG' });
  });
});

describe('a retry with a key', () => {
  const key = { 'idempotency-key': 'k' };

  it('is started only once by repeated requests, also concurrent ones and after a restart', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage });
    const old = await failedRun(before, [failure(1)]);
    const answers = await Promise.all([1, 2, 3].map(() => retry(before, old.runId, undefined, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = new Set(answers.map(({ json }) => (json as RunDetails).runId));
    expect(ids.size).toBe(1);
    expect(await before.details(old.runId)).toMatchObject({ retriedBy: [...ids][0] });
    await before.service.close();
    const after = await testService({ storage });
    expect((await retry(after, old.runId, undefined, key)).json).toMatchObject({ runId: [...ids][0], done: true });
  });

  it('is refused if its key was used for a retry of another run or config, or to start a run', async () => {
    const service = shared();
    const configId = await service.store();
    const [one, two] = [
      await failedRun(service, [failure(1)], configId),
      await failedRun(service, [failure(1)], configId),
    ];
    expect((await retry(service, one.runId, undefined, key)).status).toBe(200);
    for (const refused of [
      await retry(service, two.runId, undefined, key),
      await retry(service, one.runId, { configId }, key),
      await service.ask('/v1/run', { body: { configId }, headers: key }),
    ]) {
      expect(refused.json).toMatchObject({ status: 422, code: 'HR_REQUEST_KEY_REUSED' });
    }
  });
});
