import { randomUUID } from 'node:crypto';
import type { EngineUnderTest, Fields } from './engine-runs.ts';

interface Hit {
  readonly _id: string;
  readonly _routing?: string;
  readonly _version?: number;
  readonly _source: Fields;
}

/** An OpenSearch or Elasticsearch server, with more functions for tests than other engines. */
export class BulkEngine implements EngineUnderTest {
  readonly #url: () => string;
  readonly #type: 'OpenSearch' | 'Elasticsearch';

  constructor(type: 'OpenSearch' | 'Elasticsearch', url: () => string) {
    this.#type = type;
    this.#url = url;
  }

  config(url: string, target: string, settings: string, more: string): string {
    return `indexer { type: "${this.#type}", ${settings} }
      ${this.#type.toLowerCase()} { url: "${url}", index: "${target}", ${more} }`;
  }

  async create(properties: Fields = {}, shards = 2): Promise<string> {
    const name = `hr-${randomUUID()}`;
    await this.ask('PUT', `/${name}`, {
      settings: { number_of_shards: shards, number_of_replicas: 0 },
      mappings: { properties: { n_i: { type: 'integer' }, parent_s: { type: 'keyword' }, ...properties } },
    });
    return name;
  }

  async contents(target: string): Promise<Record<string, Fields>> {
    const found: Record<string, Fields> = {};
    for (const { _id, _source } of await this.hits(target)) {
      const { run_id: _, ...fields } = _source;
      found[_id] = fields;
    }
    return found;
  }

  /** Returns all documents with routing and version. */
  async hits(target: string, query: Fields = { match_all: {} }): Promise<Hit[]> {
    await this.ask('POST', `/${target}/_refresh`);
    const body = { size: 10_000, version: true, query };
    const answer = (await this.ask('POST', `/${target}/_search`, body)) as { hits: { hits: Hit[] } };
    return answer.hits.hits;
  }

  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.#url() + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
