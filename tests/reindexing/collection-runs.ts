import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunHandle, RunResult } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import type { KilledRuns } from './rebuild-kills.ts';
import { type Fields, requestOf } from './rebuild-runs.ts';

/** The number of documents in a request. */
const BATCH = 50;

/** Runs configs with the block `rebuild` into a SolrCloud, and looks at the collections of one alias. */
export class CollectionRuns implements KilledRuns {
  /** The alias of these runs, and the start of the names of their collections. */
  readonly alias = `rebuild-${randomUUID()}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'headrace-collections-'));
  // Local runs take half of the processor time.
  readonly #threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
  readonly #url: () => string;
  #files = 0;

  constructor(url: () => string) {
    this.#url = url;
  }

  config(documents: readonly Fields[], block: string): string {
    const path = join(this.folder, `${++this.#files}.jsonl`);
    writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    return this.configOf(`class: JSONConnector, jsonPath: "${path}"`, block);
  }

  /** @param source the class and the parameters of the connector */
  configOf(source: string, block: string): string {
    return `connectors: [{name: c, pipeline: p, ${source}}]
      pipelines: [{name: p, stages: []}]
      indexer { type: Solr, batchTimeout: 50, batchSize: ${BATCH} }
      solr { useCloudClient: true, url: ["${this.#url()}"], defaultCollection: "${this.alias}", ${block} }`;
  }

  /** @param logged receives the messages of the run */
  start(config: string, logged: string[] = []): RunHandle {
    const request = { runId: randomUUID(), ...requestOf(config) };
    return this.#threads.start(request, { onLog: ({ message }) => void logged.push(message) });
  }

  run(documents: readonly Fields[], block: string): Promise<RunResult> {
    return this.start(this.config(documents, block)).done;
  }

  rollback(block: string): Promise<string> {
    return this.#threads.rollback(requestOf(this.config([], block)), 30_000);
  }

  /** Returns what `validate --connect` reports. */
  async checkAccess(block: string): Promise<string[]> {
    const problems = await this.#threads.checkAccess(requestOf(this.config([], block)), 30_000);
    return problems.map(({ message }) => message);
  }

  async targets(): Promise<string[]> {
    const { aliases } = await this.collectionsApi<{ aliases?: Record<string, string> }>({ action: 'LISTALIASES' });
    return aliases?.[this.alias]?.split(',') ?? [];
  }

  async states(): Promise<[string, string | undefined][]> {
    const { cluster } = await this.collectionsApi<{ cluster: { collections: Record<string, Fields> } }>({
      action: 'CLUSTERSTATUS',
    });
    return Object.entries(cluster.collections)
      .filter(([name]) => name.startsWith(`${this.alias}-`))
      .map(([name, state]): [string, string | undefined] => {
        const mark = state['property.headrace'];
        return [name, typeof mark === 'string' ? (JSON.parse(mark) as { state: string }).state : undefined];
      })
      .toSorted();
  }

  async count(query = '*:*'): Promise<number | undefined> {
    const path = `/${this.alias}/select?${new URLSearchParams({ q: query, rows: '0', wt: 'json' })}`;
    const answer = await fetch(this.#url() + path);
    if (answer.status === 404) return undefined;
    return ((await answer.json()) as { response: { numFound: number } }).response.numFound;
  }

  /** Solr counts requests, but no documents that are not visible yet. */
  async writtenTo(before: ReadonlySet<string>): Promise<number> {
    const created = (await this.states()).map(([name]) => name).find((name) => !before.has(name));
    if (created === undefined) return Number.NEGATIVE_INFINITY;
    const query = new URLSearchParams({ group: 'core', prefix: 'UPDATE./update.requests', wt: 'json' });
    const { metrics } = (await (await fetch(`${this.#url()}/admin/metrics?${query}`)).json()) as {
      metrics: Record<string, Record<string, { count: number } | number>>;
    };
    const core = Object.entries(metrics).find(([name]) => name.startsWith(`solr.core.${created}.`));
    const requests = core?.[1]['UPDATE./update.requests'] ?? 0;
    return BATCH * (typeof requests === 'number' ? requests : requests.count);
  }

  async collectionsApi<T = Fields>(query: Record<string, string>): Promise<T> {
    const path = `/admin/collections?${new URLSearchParams({ ...query, wt: 'json' })}`;
    const answer = await fetch(this.#url() + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<T>;
  }

  async close(): Promise<void> {
    await this.#threads.close();
    if ((await this.targets()).length > 0) await this.collectionsApi({ action: 'DELETEALIAS', name: this.alias });
    for (const [name] of await this.states()) await this.collectionsApi({ action: 'DELETE', name });
    rmSync(this.folder, { recursive: true });
  }
}
