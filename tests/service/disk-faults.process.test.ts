import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { directoryWith, headrace } from '../cli/headrace.ts';
import {
  finished,
  kill,
  replace,
  runDetails,
  type Served,
  serve,
  serviceDirectory,
  startRun,
  upload,
} from './served.ts';
import { noSmallDisk, SmallDisk } from './small-disk.ts';

const why = noSmallDisk();

const small = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: []}]
indexer { class: NopIndexer }`;
const endless = small.replace('numDocs: 1', 'numDocs: 2000000000');
const text = `x = "${'x'.repeat(100_000)}"`;

/** Creates a folder for a service with its store on the small disk. */
function onDisk(disk: SmallDisk): string {
  const settings = `server: { host: 127.0.0.1, port: 0 }
storage: { path: ${disk.path}/store }
limits: { minFreeDiskMb: 2 }
`;
  return directoryWith({ 'service.yml': settings });
}

async function ask(url: string, path: string, request?: RequestInit) {
  const answer = await fetch(url + path, request);
  const body = await answer.text();
  return { status: answer.status, json: body === '' ? undefined : JSON.parse(body) };
}

const hocon = { method: 'POST', headers: { 'content-type': 'application/hocon' } };

/** Uploads until the disk is full. Returns the acknowledged ids, and the error response. */
async function uploadUntilRefused(url: string) {
  const acknowledged: string[] = [];
  for (;;) {
    const { status, json } = await ask(url, '/v1/config', { ...hocon, body: text });
    if (status !== 200) return { acknowledged, refusal: { status, json } };
    acknowledged.push(json.configId);
  }
}

async function ready(url: string) {
  return (await ask(url, '/v1/readyz?verbose=true')).json;
}

async function expectAll(url: string, configIds: readonly string[]): Promise<void> {
  const listed = Object.keys((await ask(url, '/v1/config')).json);
  expect(configIds.filter((id) => !listed.includes(id))).toEqual([]);
}

async function served(directory: string): Promise<Served> {
  const service = await serve(directory);
  onTestFinished(() => kill(service));
  return service;
}

const name = `a service on a separate disk${why === undefined ? '' : ` (${why})`}`;

/** Mounting and filling disks takes long on a busy machine. */
describe.skipIf(why !== undefined)(name, () => {
  it('rejects uploads while the disk is full, and recovers when there is space', async () => {
    const disk = new SmallDisk();
    const directory = onDisk(disk);
    const { url } = await served(directory);
    const version = await replace(url, 'kept', 'a: 1');
    const going = await startRun(url, await upload(url, endless));
    disk.fill();
    const { acknowledged, refusal } = await uploadUntilRefused(url);
    expect(refusal).toMatchObject({
      status: 503,
      json: { code: 'HR_STORE_UNAVAILABLE', message: expect.stringMatching(/^The store cannot be written: .*full/) },
    });
    const id = acknowledged[0] ?? (await ask(url, '/v1/config?limit=1')).json.items[0].configId;
    expect((await ask(url, `/v1/config/${id}`)).status).toBe(200);
    expect((await ask(url, '/v1/livez')).status).toBe(200);
    const failing = async () => (await ready(url)).checks.filter((check: { ok: boolean }) => !check.ok);
    await expect.poll(failing).toContainEqual({ name: 'store', ok: false, message: expect.stringContaining('full') });
    // A running run continues. Its result is available, although it cannot be stored.
    expect((await ask(url, `/v1/run/${going.runId}/cancel`, { method: 'POST' })).status).toBe(202);
    expect(await finished(url, going.runId)).toMatchObject({ status: 'CANCELLED', progress: { pending: 0 } });

    disk.empty();
    await expect.poll(async () => (await ready(url)).status).toBe('ready');
    expect(await replace(url, 'kept', 'a: 2')).toBe(version + 1);
    const after = await startRun(url, await upload(url, small));
    expect(await finished(url, after.runId)).toMatchObject({ status: 'SUCCEEDED' });
    await expectAll(url, acknowledged);
  });

  it('keeps all acknowledged uploads when it is killed on a full disk', async () => {
    const disk = new SmallDisk();
    const directory = onDisk(disk);
    const first = await served(directory);
    const going = await startRun(first.url, await upload(first.url, endless));
    const version = await replace(first.url, 'kept', 'a: 1');
    disk.fill();
    const { acknowledged } = await uploadUntilRefused(first.url);
    await kill(first);

    disk.empty();
    const { url } = await served(directory);
    await expectAll(url, acknowledged);
    expect((await ask(url, '/v1/config/kept/versions')).json.items).toMatchObject([{ version }]);
    const details = await runDetails(url, going.runId);
    expect(details).toMatchObject({ status: 'INTERRUPTED', done: true, progress: { pending: 0 } });
  });

  it('answers reads and rejects writes when the disk fails, and has all data on the repaired disk', async () => {
    const disk = new SmallDisk();
    const directory = onDisk(disk);
    const first = await served(directory);
    const configId = await upload(first.url, small);
    const { runId } = await startRun(first.url, configId);
    const before = await finished(first.url, runId);
    disk.fail();
    const { refusal } = await uploadUntilRefused(first.url);
    expect(refusal).toMatchObject({ status: 503, json: { code: 'HR_STORE_UNAVAILABLE' } });
    expect((await ask(first.url, `/v1/config/${configId}`)).status).toBe(200);
    expect(await runDetails(first.url, runId)).toEqual(before);
    expect(await ready(first.url)).toMatchObject({ code: 'HR_NOT_READY' });
    await kill(first);

    const refused = await headrace(['serve', 'service.yml'], { cwd: directory });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/The store .* cannot be opened: .* Check its disk: /);

    disk.repair();
    const { url } = await served(directory);
    await expectAll(url, [configId]);
    expect(await runDetails(url, runId)).toEqual(before);
  });

  it('fails the documents that do not fit on the disk, with the reason, and the next run has space again', async () => {
    const disk = new SmallDisk();
    const { url } = await served(serviceDirectory());
    const config = (documents: number, file: string, type: string, block: string) => `
      connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: ${documents}}]
      pipelines: [{name: p, stages: [{class: SetStaticValues, staticValues: {text: "${'x'.repeat(1000)}"}}]}]
      indexer { type: ${type} }
      ${block.replace('FILE', `${disk.path}/${file}`)}`;
    for (const [type, block] of [
      ['CSV', 'csv { path: "FILE", columns: [id, text], includeHeader: false }'],
      ['JSONLines', 'jsonl { path: "FILE" }'],
    ] as const) {
      const run = async (documents: number, file: string) =>
        finished(url, (await startRun(url, await upload(url, config(documents, file, type, block)))).runId);
      const { runId, runResult, progress } = await run(40_000, `too-large-${type}`);
      expect(runResult?.message, type).toContain('Some docs failed');
      const { items } = (await ask(url, `/v1/run/${runId}/failures?limit=1`)).json;
      expect(items).toMatchObject([{ at: 'indexer', message: expect.stringMatching(/ENOSPC|no space left/i) }]);
      const { published, succeeded, failed, dropped, pending } = progress;
      expect(failed).toBeGreaterThan(0);
      expect([pending, succeeded + failed + dropped]).toEqual([0, published]);
      // All documents that count as succeeded are in the file.
      const written = readFileSync(`${disk.path}/too-large-${type}`, 'utf8').split('\n').length - 1;
      expect(written, type).toBeGreaterThanOrEqual(succeeded);
      rmSync(`${disk.path}/too-large-${type}`);
      const after = await run(10, `small-${type}`);
      expect(after).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 10, failed: 0 } });
      expect((await ask(url, '/v1/readyz')).status).toBe(200);
    }
  });
});
