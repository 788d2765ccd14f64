import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finished, kill, type Served, serve, serviceDirectory, startRun, upload } from './served.ts';

const KAFKA =
  'kafka { bootstrapServers: "127.0.0.1:1", consumerGroupId: g, maxPollIntervalSecs: 1, maxRequestSize: 1000';
const PIPELINE = 'pipelines: [{ name: p, stages: [] }], indexer { type: Nop }';
const CONNECTOR = 'connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 3 }]';

describe('the service', () => {
  let served: Served;

  beforeEach(async () => {
    served = await serve(serviceDirectory());
  });
  afterEach(() => kill(served));

  it.each([
    ['kafka', `connectors: [], ${PIPELINE}, ${KAFKA} }`],
    ['kafka.sourceTopic', `${CONNECTOR}, ${PIPELINE}, ${KAFKA}, sourceTopic: feed }`],
  ])('refuses a config that only a distributed run can execute (%s), with the command', async (path, text) => {
    const validated = await fetch(`${served.url}/v1/config/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/hocon' },
      body: text,
    });
    const refusal = {
      severity: 'error',
      code: 'HR_CONFIG_DISTRIBUTED',
      path,
      message: expect.stringContaining('the service runs configs in its own process'),
      hint: expect.stringContaining('headrace worker-indexer CONFIG'),
    };
    const { valid, problems } = (await validated.json()) as { valid: boolean; problems: unknown[] };
    expect(valid).toBe(false);
    expect(problems).toContainEqual(expect.objectContaining(refusal));
    const { runId } = await startRun(served.url, await upload(served.url, text));
    const { runResult } = await finished(served.url, runId);
    expect(runResult).toMatchObject({ status: false });
    expect((runResult as unknown as { problems: unknown[] }).problems).toContainEqual(expect.objectContaining(refusal));
  });

  it('runs a config with a kafka block in its own process, as the reference does', async () => {
    const { runId } = await startRun(served.url, await upload(served.url, `${CONNECTOR}, ${PIPELINE}, ${KAFKA} }`));
    const { runResult } = await finished(served.url, runId);
    expect(runResult).toMatchObject({ status: true });
  });
});
