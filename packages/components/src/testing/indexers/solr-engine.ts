import type { EngineUnderTest, Fields } from './engine-runs.ts';

/** The core or collection that the launcher creates. */
const CORE = 'quickstart';

/** A Solr server, standalone or a cloud. */
export class SolrEngine implements EngineUnderTest {
  readonly #url: () => string;
  readonly #cloud: boolean;

  constructor(cloud: boolean, url: () => string) {
    this.#cloud = cloud;
    this.#url = url;
  }

  config(url: string, target: string, settings: string, more: string): string {
    const where = this.#cloud
      ? `useCloudClient: true, url: ["${url}"], defaultCollection: "${target}"`
      : `url: "${url}/${target}"`;
    return `indexer { type: "Solr", ${settings} }
      solr { ${where}, ${more} }`;
  }

  /** Empties the existing collection, because creating one takes seconds. */
  async create(): Promise<string> {
    await this.update(CORE, { delete: { query: '*:*' } });
    return CORE;
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
    const answer = (await this.#read(await fetch(`${this.#url()}/${target}/select?${params}`))) as {
      response: { docs: Fields[] };
    };
    return answer.response.docs.map(
      ({ run_id: _r, _version_: _v, _root_: _o, _nest_path_: _n, ...document }) => document,
    );
  }

  async update(target: string, command: unknown): Promise<void> {
    const body = JSON.stringify(command);
    const headers = { 'content-type': 'application/json' };
    await this.#read(await fetch(`${this.#url()}/${target}/update?commit=true`, { method: 'POST', body, headers }));
  }

  async #read(answer: Response): Promise<unknown> {
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
