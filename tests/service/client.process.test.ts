import { ApiError, HeadraceClient } from '@headrace/client';
import { expect, it } from 'vitest';
import { serve, serviceDirectory } from './served.ts';

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: first, numDocs: 3 }]
pipelines: [{ name: first, stages: [{ class: Concatenate, dest: title, formatString: "Document {id}" }] }]
indexer { type: Nop }
`;

it('the client of the service stores, previews, runs and watches configs', async () => {
  const { url } = await serve(serviceDirectory());
  const client = new HeadraceClient({ url });

  const { configId } = await client.call('POST /v1/config', { body: CONFIG });
  const { body: stored } = await client.request('GET /v1/config/{id}', { path: { id: configId } });
  expect(stored).toMatchObject({ indexer: { type: 'Nop' } });

  const preview = await client.call('POST /v1/preview', { body: { configId, limit: 1, trace: true } });
  expect(preview.results[0]?.trace?.[0]?.document).toEqual({ id: '0', title: 'Document 0' });

  const { runId } = await client.call('POST /v1/run', { body: { configId, labels: { by: 'client' } } });
  const names: string[] = [];
  const run = await client.waitForRun(runId, { onEvent: ({ name }) => names.push(name) });
  expect(run).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 3 }, labels: { by: 'client' } });
  expect(names.at(-1)).toBe('done');

  const page = await client.call('GET /v1/run', { query: { limit: 5 } });
  expect(page).toMatchObject({ items: [{ runId }], next: null });

  await client.call('DELETE /v1/config/{id}', { path: { id: configId } });
  const gone = await client.call('GET /v1/config/{id}', { path: { id: configId } }).catch((error: unknown) => error);
  expect(gone).toBeInstanceOf(ApiError);
  expect(gone).toMatchObject({ status: 404, code: 'HR_CONFIG_NOT_FOUND', hint: expect.any(String) });
});
