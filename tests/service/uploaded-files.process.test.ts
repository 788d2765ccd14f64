import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryWith } from '../cli/headrace.ts';
import { finished, kill, serve, serviceDirectory } from './served.ts';

it('with the strict policy, a config reads an uploaded file, and writes or reads nothing else in the store', async () => {
  const directory = serviceDirectory('policy: strict\n');
  const { url } = await serve(directory);
  const uploaded = await fetch(`${url}/v1/file/products.csv`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: 'sku,name\na-1,Chair\na-2,Lamp\n',
  });
  expect(uploaded.status).toBe(201);
  const { path } = (await uploaded.json()) as { path: string };
  const config = (source: string, indexer: string) =>
    `connectors: [{ name: c, class: CSVConnector, pipeline: p, path: "${source}" }], pipelines: [{ name: p, stages: [] }], ${indexer}`;
  const post = async (route: string, body: string, type: string) => {
    const answer = await fetch(`${url}/v1/${route}`, { method: 'POST', headers: { 'content-type': type }, body });
    return (await answer.json()) as { runId: string; problems?: { code: string }[] };
  };
  const run = { config: config(path, 'indexer { type: Nop }') };
  const { runId } = await post('run', JSON.stringify(run), 'application/json');
  expect(await finished(url, runId)).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 2 } });

  const refused = [
    config(join(path, '../../headrace.db'), 'indexer { type: Nop }'),
    config(path, `indexer { type: JSONLines }, jsonl { path: "${path}" }`),
    config(path, `indexer { type: JSONLines }, jsonl { path: "${join(path, '../new.jsonl')}" }`),
  ];
  for (const text of refused) {
    const { problems } = await post('config/validate', text, 'application/hocon');
    expect(problems).toMatchObject([{ code: 'HR_POLICY_REFUSED' }]);
  }
  expect(readFileSync(path, 'utf8')).toContain('Chair');
  expect(readdirSync(join(path, '..'))).toEqual(['products.csv']);
});

it('uploaded files survive the death of the service, and those of a store in memory end with it', async () => {
  const directory = serviceDirectory();
  const first = await serve(directory);
  const put = (url: string) =>
    fetch(`${url}/v1/file/a.csv`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a\n1\n',
    });
  expect((await put(first.url)).status).toBe(201);
  await kill(first);
  const second = await serve(directory);
  expect(await (await fetch(`${second.url}/v1/file`)).json()).toMatchObject({ items: [{ name: 'a.csv', bytes: 4 }] });

  const other = directoryWith({ 'service.yml': 'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n' });
  const inMemory = await serve(other);
  const { path } = (await (await put(inMemory.url)).json()) as { path: string };
  expect(existsSync(path)).toBe(true);
  inMemory.process.child.kill('SIGTERM');
  await inMemory.process.ended;
  expect(existsSync(join(path, '..'))).toBe(false);
});
