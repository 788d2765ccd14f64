import type { RealServer } from '@headrace/testing/real-server';
import type { EngineUnderTest, Fields } from './engine-runs.ts';

/** A Solr server, standalone or a cloud. */
export class SolrEngine implements EngineUnderTest {
  readonly #cloud: boolean;
  readonly #server: RealServer;

  constructor(cloud: boolean, server: RealServer) {
    this.#cloud = cloud;
    this.#server = server;
  }

  config(url: string, target: string, settings: string, more: string): string {
    const where = this.#cloud
      ? `useCloudClient: true, url: ["${url}"], defaultCollection: "${target}"`
      : `url: "${url}/${target}"`;
    return `indexer { type: "Solr", ${settings} }
      solr { ${where}, ${more} }`;
  }

  /** Empties the core or collection of the test file, because creating one takes seconds. */
  async create(): Promise<string> {
    const { database } = this.#server;
    await this.update(database, { delete: { query: '*:*' } });
    return database;
  }

  async contents(target: string): Promise<Record<string, Fields>> {
    const found: Record<string, Fields> = {};
    for (const document of await this.select(target, '*:*')) found[document.id as string] = document;
    return found;
  }

  /** Returns the results of a query, without the fields that Solr adds. */
  async select(target: string, query: string, fields = '*'): Promise<Fields[]> {
    await this.update(target, { commit: {} });
    const params = new URLSearchParams({ q: query, rows: '10000', wt: 'json', fl: fields });
    const answer = (await this.#read(await fetch(`${this.#server.url}/${target}/select?${params}`))) as {
      response: { docs: Fields[] };
    };
    return answer.response.docs.map(
      ({ run_id: _r, _version_: _v, _root_: _o, _nest_path_: _n, ...document }) => document,
    );
  }

  async update(target: string, command: unknown): Promise<void> {
    const body = JSON.stringify(command);
    const headers = { 'content-type': 'application/json' };
    await this.#read(
      await fetch(`${this.#server.url}/${target}/update?commit=true`, { method: 'POST', body, headers }),
    );
  }

  async #read(answer: Response): Promise<unknown> {
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
