import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { readConfigFile } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { outcome } from '../testing/indexers/engine-runs.ts';
import { SolrEngine } from '../testing/indexers/solr-engine.ts';
import { TopicEngine } from '../testing/indexers/topic-engine.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const AIRPORTS = 3376;
const PATIENCE_MS = 180_000;

const out = mkdtempSync(join(tmpdir(), 'headrace-examples-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Runs an example until it ends. */
async function runExample(name: string, env: Record<string, string>): Promise<void> {
  const { root, problems } = readConfigFile(`${examples}${name}.conf`, {
    env: { HEADRACE_DATA: `${examples}data`, HEADRACE_OUT: out, ...env },
  });
  if (root === undefined) throw new Error(JSON.stringify(problems));
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false });
  try {
    const registry = { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false };
    const result = await threads.start({ runId: 'example', root, registry }).done;
    expect(outcome(result)).toMatchObject({ status: 'SUCCEEDED', failed: {} });
  } finally {
    await threads.close();
  }
}

function written(name: string): Record<string, unknown>[] {
  const text = readFileSync(join(out, `${name}.jsonl`), 'utf8').trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

await describeWithServer('solr', (server) => {
  it(
    'the example connectors/solr.conf reads the documents that indexers/solr.conf has written',
    async () => {
      await new SolrEngine(false, () => server.url).create();
      await runExample('indexers/solr', { SOLR_URL: server.url });
      await runExample('connectors/solr', { SOLR_URL: server.url });
      const airports = written('solr');
      expect(airports).toHaveLength(AIRPORTS);
      expect(airports[0]).toMatchObject({ id: '00M' });
    },
    PATIENCE_MS,
  );
});

await describeWithServer('kafka', (server) => {
  it(
    'the example connectors/kafka.conf reads the documents that indexers/kafka.conf has written once',
    async () => {
      await new TopicEngine(server).create(3, {}, 'airports');
      await runExample('indexers/kafka', { KAFKA_BROKERS: server.url });
      await runExample('connectors/kafka', { KAFKA_BROKERS: server.url });
      const airports = written('kafka');
      expect(airports).toHaveLength(AIRPORTS);
      expect(airports.find(({ id }) => id === '00M')).toMatchObject({ title: 'Thigpen (Bay Springs)' });
      await runExample('connectors/kafka', { KAFKA_BROKERS: server.url });
      expect(written('kafka')).toEqual(airports);
    },
    PATIENCE_MS,
  );
});
