import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { finished, kill, type RunDetails, runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

interface Failure {
  id: string;
  at: string;
  status?: number;
  message: string;
  processed: boolean;
  document?: unknown;
}

async function failuresOf(url: string, runId: string): Promise<Failure[]> {
  const answer = (await (await fetch(`${url}/v1/run/${runId}/failures?limit=1000`)).json()) as {
    items: Failure[];
    next: string | null;
  };
  expect(answer.next).toBeNull();
  return answer.items;
}

async function retried(url: string, runId: string): Promise<RunDetails & { retryOf: string }> {
  const response = await fetch(`${url}/v1/run/${runId}/retry`, { method: 'POST' });
  expect(response.status).toBe(200);
  const details = (await response.json()) as RunDetails;
  return (await finished(url, details.runId)) as RunDetails & { retryOf: string };
}

const config = (indexer: string, stages = '', count = 100) => `
  connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: ${count}}]
  pipelines: [{name: p, stages: [{class: CopyFields, fieldMapping {id: copy}} ${stages}]}]
  indexer { type: OpenSearch, maxRetries: 1, retryWaitDurationMs: 1 }
  ${indexer}`;

/** A simulated search engine that accepts documents, and rejects some. */
class Engine {
  readonly taken = new Map<string, string>();
  bulkRequests = 0;
  refuses: (id: string) => boolean = () => false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]) {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    const isBulk = request.url?.startsWith('/_bulk') === true;
    response.end(isBulk ? this.#bulk(body) : '{"version":{"number":"2.19.3","distribution":"opensearch"}}');
  }

  #bulk(body: string): string {
    this.bulkRequests++;
    const lines = body.trimEnd().split('\n');
    const items: object[] = [];
    for (let i = 0; i < lines.length; i += 2) {
      const { _id } = JSON.parse(lines[i] as string).index as { _id: string };
      const error = { type: 'mapper_parsing_exception', reason: `${_id} does not fit` };
      if (!this.refuses(_id)) this.taken.set(_id, lines[i + 1] as string);
      items.push({ index: this.refuses(_id) ? { _id, status: 400, error } : { _id, status: 201 } });
    }
    return JSON.stringify({ errors: true, items });
  }
}

it('a retry delivers exactly the documents that the search engine rejected', async () => {
  const engine = new Engine();
  engine.refuses = (id) => id.endsWith('7');
  const address = await engine.start();
  const { process, url } = await serve(serviceDirectory());
  try {
    const text = config(`opensearch { url: "${address}", index: i }`);
    const { runId } = await startRun(url, await upload(url, text));
    const first = await finished(url, runId);
    expect(first.progress).toMatchObject({ published: 100, succeeded: 90, failed: 10 });
    const failures = await failuresOf(url, runId);
    expect(failures).toHaveLength(10);
    expect(failures[0]).toMatchObject({ id: '7', at: 'indexer', status: 400, processed: true });
    expect(failures[0]?.message).toContain('7 does not fit');
    const before = engine.bulkRequests;

    engine.refuses = (id) => id === '17';
    const second = await retried(url, runId);
    expect(second).toMatchObject({ retryOf: runId, status: 'SUCCEEDED' });
    expect(second.progress).toMatchObject({ published: 10, succeeded: 9, failed: 1 });
    expect(await runDetails(url, runId)).toMatchObject({ retriedBy: second.runId });
    expect(engine.bulkRequests).toBe(before + 1);

    // The new run stores its failures, which can be retried again.
    engine.refuses = () => false;
    const third = await retried(url, second.runId);
    expect(third.progress).toMatchObject({ published: 1, succeeded: 1, failed: 0 });
    expect(engine.taken.size).toBe(100);
    expect(JSON.parse(engine.taken.get('17') as string)).toMatchObject({ id: '17', copy: '17' });
  } finally {
    process.child.kill('SIGTERM');
    await process.ended;
    await engine.close();
  }
});

it('failures that were listed before a kill are kept, and can be retried afterwards', async () => {
  const directory = serviceDirectory();
  const service = await serve(directory);
  const endless = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
    pipelines: [{name: p, stages: [
      {class: ApplyJavascript, script: "if (doc.id.endsWith('00')) throw new Error('no hundreds')"}]}]
    indexer { class: NopIndexer }`;
  const { runId } = await startRun(service.url, await upload(service.url, endless));
  let known: Failure[] = [];
  await expect
    .poll(
      async () => {
        known = await failuresOf(service.url, runId);
        return known.length;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);
  await kill(service);

  const after = await serve(directory);
  expect(await runDetails(after.url, runId)).toMatchObject({ status: 'INTERRUPTED' });
  const kept = await failuresOf(after.url, runId);
  expect(kept.slice(0, known.length)).toEqual(known);
  expect(kept[0]).toMatchObject({ document: { id: kept[0]?.id } });
  const again = await retried(after.url, runId);
  expect(again.progress).toMatchObject({ published: kept.length, failed: kept.length });
  await kill(after);
});
