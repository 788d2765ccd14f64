import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../cli/headrace.ts';
import { readPages } from '../docs/page.ts';
import { runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

const config = (directory: string) => `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 1000 }]
pipelines: [
  {
    name: main
    stages: [
      { class: Concatenate, dest: title, formatString: "Document {id}" }
      { class: DropDocument, conditions: [{ fields: [id], values: ["7"] }] }
    ]
  }
]
indexer { type: JSONLines }
jsonl { path: ${JSON.stringify(join(directory, 'out.jsonl'))} }
`;

/** Returns the metric families of the page, each as `name type labels`. */
function documented(): string[] {
  const page = readPages(join(repository, 'docs')).find(({ name }) => name === 'metrics.md');
  return [...(page?.text ?? '').matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*)\|/gm)]
    .map(([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll(/[` ]/g, '')}`.trim())
    .sort();
}

/** Returns the families of an exposition with their values. The test of the writer checks the strict format. */
function readFamilies(text: string): Map<string, { type: string; samples: Map<string, number> }> {
  const families = [...text.matchAll(/^# TYPE (\w+) (\w+)\n((?:[^#\n].*\n)*)/gm)];
  return new Map(
    families.map(([, name = '', type = '', lines = '']) => {
      const samples = [...lines.matchAll(/^(.+) (\S+)$/gm)];
      return [name, { type, samples: new Map(samples.map(([, sample = '', value]) => [sample, Number(value)])) }];
    }),
  );
}

describe('metrics of a service', () => {
  it('include the work of stages and indexers, and equal the list in docs/metrics.md', async () => {
    const directory = serviceDirectory();
    const service = await serve(directory);
    const { runId } = await startRun(service.url, await upload(service.url, config(directory)));
    await expect.poll(async () => (await runDetails(service.url, runId)).done).toBe(true);
    expect((await runDetails(service.url, runId)).progress).toMatchObject({
      indexing: { type: 'JSONLines', inFlight: 0, documents: 999, failed: 0, retries: 0 },
    });
    const families = readFamilies(await (await fetch(`${service.url}/metrics`)).text());
    const value = (name: string, labels = '') => families.get(name)?.samples.get(name + labels);
    expect(value('headrace_documents_total', '{outcome="succeeded"}')).toBe(999);
    expect(value('headrace_documents_total', '{outcome="dropped"}')).toBe(1);
    expect(value('headrace_stage_documents_total', '{class="Concatenate"}')).toBe(1000);
    expect(value('headrace_stage_documents_total', '{class="DropDocument"}')).toBe(1);
    expect(value('headrace_stage_failures_total', '{class="Concatenate"}')).toBe(0);
    expect(value('headrace_stage_seconds_total', '{class="Concatenate"}')).toBeGreaterThan(0);
    expect(value('headrace_indexer_documents_total', '{type="JSONLines"}')).toBe(999);
    expect(value('headrace_indexer_batches_total', '{type="JSONLines"}')).toBeGreaterThan(0);
    expect(value('headrace_indexer_seconds_total', '{type="JSONLines"}')).toBeGreaterThan(0);
    expect(value('headrace_indexer_batches_in_flight', '{type="JSONLines"}')).toBe(0);

    const labelsOf = (samples: ReadonlyMap<string, number>) => {
      const [key = ''] = samples.keys();
      return [...key.matchAll(/(\w+)="/g)].flatMap(([, label]) => (label === 'le' ? [] : label)).join(',');
    };
    const measured = [...families]
      .map(([name, { type, samples }]) => `${name} ${type} ${labelsOf(samples)}`.trim())
      // Without a garbage collection there is no sample.
      .filter((line) => !line.startsWith('nodejs_gc'));
    expect(measured.sort()).toEqual(documented().filter((line) => !line.startsWith('nodejs_gc')));
    service.process.child.kill('SIGTERM');
    expect((await service.process.ended).code).toBe(0);
  });
});
