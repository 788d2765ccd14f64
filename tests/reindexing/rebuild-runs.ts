import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { type Problem, type RunHandle, type RunResult, readConfigText } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import type { KilledRuns } from './rebuild-kills.ts';

/** The fields of a document, or another JSON object. */
export type Fields = Record<string, unknown>;

/** The part of an index that tests look at. */
interface IndexState {
  readonly settings: { readonly index: Readonly<Record<string, string>> };
  readonly mappings: {
    readonly properties?: Fields;
    readonly _meta?: { readonly headrace?: Fields & { readonly state: string } };
  };
}

/** Runs configs with the blocks `create` and `rebuild`, and looks at the indices of one alias. */
export class RebuildRuns implements KilledRuns {
  /** The alias of these runs, and the start of the names of their indices. */
  readonly alias = `rebuild-${randomUUID()}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'headrace-rebuild-'));
  // Local runs take half of the processor time.
  readonly #threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true, journals: this.folder });
  readonly #type: 'OpenSearch' | 'Elasticsearch';
  readonly #url: () => string;
  #files = 0;

  constructor(type: 'OpenSearch' | 'Elasticsearch', url: () => string) {
    this.#type = type;
    this.#url = url;
  }

  /**
   * @param block the parameters in the block of the indexer
   * @param more further blocks of the config
   */
  config(documents: readonly Fields[], block: string, more = ''): string {
    const path = join(this.folder, `${++this.#files}.jsonl`);
    writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    return this.configOf(`class: JSONConnector, jsonPath: "${path}"`, block, more);
  }

  /**
   * @param source the class and the parameters of the connector
   * @param url the address of the search engine
   */
  configOf(source: string, block: string, more = '', url = this.#url()): string {
    return `connectors: [{name: c, pipeline: p, ${source}}]
      pipelines: [{name: p, stages: []}]
      indexer { type: ${this.#type}, batchTimeout: 50, batchSize: 50 }
      ${this.#type.toLowerCase()} { url: "${url}", index: "${this.alias}", ${block} }
      ${more}`;
  }

  start(config: string): RunHandle {
    return this.#threads.start({ runId: randomUUID(), ...requestOf(config) });
  }

  run(documents: readonly Fields[], block: string, more = ''): Promise<RunResult> {
    return this.start(this.config(documents, block, more)).done;
  }

  /** Returns what `validate --connect` reports. */
  checkAccess(config: string): Promise<Problem[]> {
    return this.#threads.checkAccess(requestOf(config), 30_000);
  }

  rollback(block: string): Promise<string> {
    return this.#threads.rollback(requestOf(this.config([], block)), 30_000);
  }

  /** Returns the indices that the alias points to. */
  async targets(): Promise<string[]> {
    return Object.keys((await this.#find(`/_alias/${this.alias}`)) ?? {});
  }

  /** Returns the indices of the alias with their states, the oldest first. */
  async states(): Promise<[string, string | undefined][]> {
    const indices = Object.entries(await this.indices());
    return indices
      .map(([name, { mappings }]): [string, string | undefined] => [name, mappings._meta?.headrace?.state])
      .toSorted();
  }

  async indices(): Promise<Readonly<Record<string, IndexState>>> {
    return ((await this.#find(`/${this.alias}*`)) ?? {}) as Record<string, IndexState>;
  }

  /** Returns the number of documents that a search through the alias finds; undefined if there is no alias. */
  async count(query = '*'): Promise<number | undefined> {
    return (await this.#find(`/${this.alias}/_count?q=${encodeURIComponent(query)}`))?.count as number | undefined;
  }

  /** Returns the sorted ids of the documents of the alias. */
  async ids(): Promise<string[]> {
    await this.ask('POST', `/${this.alias}/_refresh`);
    const answer = await this.ask('POST', `/${this.alias}/_search`, { size: 10_000, _source: false });
    return (answer as { hits: { hits: { _id: string }[] } }).hits.hits.map(({ _id }) => _id).toSorted();
  }

  /** Returns how many documents the new index has received; less than 0 if there is none yet. */
  async writtenTo(before: ReadonlySet<string>): Promise<number> {
    const path = `/${this.alias}-*/_stats/indexing?filter_path=indices.*.primaries.indexing.index_total`;
    const { indices = {} } = ((await this.#find(path)) ?? {}) as {
      indices?: Record<string, { primaries?: { indexing: { index_total: number } } }>;
    };
    const created = Object.entries(indices).find(([name]) => !before.has(name));
    return created === undefined ? Number.NEGATIVE_INFINITY : (created[1].primaries?.indexing.index_total ?? 0);
  }

  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.#url() + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async close(): Promise<void> {
    await this.#threads.close();
    const names = Object.keys(await this.indices());
    if (names.length > 0) await this.ask('DELETE', `/${names.join(',')}`);
    rmSync(this.folder, { recursive: true });
  }

  async #find(path: string): Promise<Fields | undefined> {
    const answer = await fetch(this.#url() + path);
    if (answer.status !== 200 && answer.status !== 404) throw new Error(await answer.text());
    const json = (await answer.json()) as Fields;
    return answer.status === 200 ? json : undefined;
  }
}

/** Returns the request of a run with this config, which must have no problem. */
export function requestOf(config: string) {
  const { root, problems } = readConfigText(config);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  return { root, registry: { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false } };
}

/** Returns documents with a version, which says which run wrote them. */
export function versioned(count: number, version: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({ id: `d${i}`, version, title: `title ${i}` }));
}
