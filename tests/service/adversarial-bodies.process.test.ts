import { describe, expect, it, onTestFinished } from 'vitest';
import { start } from '../cli/headrace.ts';
import { addressOf, kill, type Served, serviceDirectory } from './served.ts';

/** The heap limit of each thread: less than reading one of the bodies below takes without protection. */
const HEAP_MB = 96;

async function started(heapMb?: number): Promise<Served> {
  const env: Record<string, string> = heapMb === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
  const process = start(['serve', 'service.yml'], { cwd: serviceDirectory(), env });
  onTestFinished(() => kill({ process, url: '' }));
  return { process, url: await addressOf(process) };
}

async function post({ url }: Served, path: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

const empties = (count: number) => `[${Array(count).fill('{}').join(',')}]`;
const both = () => `{"config":{"a":${empties(300_000)}},"documents":[{"id":"1","a":${empties(300_000)}}]}`;

describe('request bodies with small texts and large values', () => {
  it('are answered or rejected by a service with little memory, which answers other requests at the same time', async () => {
    const served = await started(HEAP_MB);
    const asked = [
      post(served, '/v1/run', `{"configId":"none","ignored":${empties(800_000)}}`),
      post(served, '/v1/preview', `{"config":{},"documents":${empties(800_000)}}`),
      post(served, '/v1/preview', both()),
      post(served, '/v1/preview', both()),
    ];
    let going = true;
    const all = Promise.all(asked).finally(() => {
      going = false;
    });
    all.catch(() => undefined);
    do expect((await fetch(`${served.url}/v1/livez`)).status).toBe(200);
    while (going);
    expect((await all).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(served.process.child.exitCode).toBeNull();
  });

  it('keep every number exact, in documents and configs', async () => {
    const served = await started();
    const exact = '"whole":1.0,"beyond":9007199254740993';
    const much = 'x'.repeat(100_000);
    const config = `{
      "connectors": [{"name": "c", "pipeline": "p", "class": "SequenceConnector", "numDocs": 1}],
      "pipelines": [{"name": "p", "stages": [
        {"class": "SetStaticValues", "staticValues": {"beyondOfConfig": 9007199254740993}}
      ]}],
      "indexer": {"class": "NopIndexer"}
    }`;
    const documents = `[{"id":"1",${exact},"much":"${much}"}]`;
    const { status, text } = await post(served, '/v1/preview', `{"config":${config},"documents":${documents}}`);
    expect(status).toBe(200);
    const [, made] = text.split('"documents":');
    expect(made).toContain(`[{"id":"1",${exact},`);
    expect(made).toContain('"beyondOfConfig":9007199254740993');
  });

  it('are rejected with the position where they are incomplete', async () => {
    const served = await started();
    expect(await post(served, '/v1/run', `{"ignored":"${'x'.repeat(100_000)}",\n "configId" 1}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('The body is not valid JSON: line 2, column 13'),
    });
  });
});
