import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { type Random, randomFrom } from '../service/random.ts';

/** The servers of a shop, and what its runs remember. */
export interface ShopPlaces {
  /** The URL of a database of Postgres. */
  readonly postgres: string;
  /** The URL of OpenSearch. */
  readonly opensearch: string;
  /** The alias of the products. */
  readonly alias: string;
  /** The folder for what incremental runs remember. */
  readonly folder: string;
}

const PRODUCT = `p.sku, p.title, p.brand, p.updated_at,
  (SELECT json_object_agg(lower(currency), amount) FROM prices r WHERE r.sku = p.sku) AS price,
  (SELECT json_agg(json_build_object('vid', vid, 'color', color, 'stock', stock) ORDER BY vid) FROM variants v
    WHERE v.sku = p.sku) AS variants FROM products p`;

const MAPPINGS = `dynamic: strict, properties {
  id { type: keyword }, run_id { type: keyword }, sku { type: long }, updated_at { type: date }
  title { type: text }, brand { type: keyword }
  price { properties { eur { type: scaled_float, scaling_factor: 100 }, usd { type: scaled_float, scaling_factor: 100 } } }
  variants { type: nested, properties { vid { type: long }, color { type: keyword }, stock { type: integer } } }
}`;

/** A shop whose products change in Postgres, and are read by a rebuild and by incremental runs. */
export class ChangingShop {
  readonly #places: ShopPlaces;
  readonly #client: pg.Client;
  readonly #random: Random;
  #next = 0;

  private constructor(places: ShopPlaces, client: pg.Client, seed: number) {
    this.#places = places;
    this.#client = client;
    this.#random = randomFrom(seed);
  }

  static async open(places: ShopPlaces, products: number, seed: number): Promise<ChangingShop> {
    const client = new pg.Client(places.postgres);
    await client.connect();
    const shop = new ChangingShop(places, client, seed);
    await client.query(`
      DROP TABLE IF EXISTS products, variants, prices, deleted_products;
      CREATE TABLE products (sku bigint PRIMARY KEY, title text, brand text, updated_at timestamptz NOT NULL);
      CREATE TABLE variants (vid bigint PRIMARY KEY, sku bigint, color text, stock int);
      CREATE TABLE prices (sku bigint, currency text, amount numeric(10, 2), PRIMARY KEY (sku, currency));
      CREATE TABLE deleted_products (sku bigint PRIMARY KEY, deleted_at timestamptz NOT NULL);
      INSERT INTO products SELECT g, 'Product ' || g, 'brand' || g % 50, '2026-01-01' FROM generate_series(1, ${products}) g;
      INSERT INTO variants SELECT g, 1 + (g - 1) / 3, 'red', g % 40 FROM generate_series(1, ${3 * products}) g;
      INSERT INTO prices SELECT g, c, g % 20000 / 100.0 + 1 FROM generate_series(1, ${products}) g, unnest('{EUR,USD}'::text[]) c;
      CREATE INDEX ON products (updated_at); CREATE INDEX ON variants (sku)`);
    shop.#next = products + 1;
    return shop;
  }

  /**
   * A config that rebuilds the index from all products.
   * @param lock an advisory lock that the query waits for, when it has its snapshot. Undefined if it does not wait
   */
  rebuildConfig(lock?: number): string {
    const where = lock === undefined ? '' : ` WHERE (SELECT pg_advisory_xact_lock_shared(${lock})) IS NOT NULL`;
    return `connectors: [{ name: products, sql: "SELECT ${flat(PRODUCT)}${where} ORDER BY p.sku", ${this.#database()} }]
      pipelines: [{ name: products, stages: [] }]
      indexer { type: OpenSearch, batchSize: 1000 }
      opensearch { url: "${this.#places.opensearch}", index: ${this.#places.alias}
        create { settings { number_of_shards: 2, number_of_replicas: 0 }, mappings { ${MAPPINGS} } }
        rebuild { keep: 0, checks { documents { min: 10, maxFewerPercent: 50 }, required { "price.eur": 99 } } } }`;
  }

  /** A config that writes what has changed since its last run, and deletes what was deleted. */
  incrementalConfig(): string {
    const remember = (name: string, column: string) =>
      `incremental { column: ${column}, initial: "2026-01-02" }, state { connectionString: "jdbc:sqlite:${this.#places.folder}/${name}" }`;
    return `connectors: [
        { name: changed, sql: "SELECT 'false' AS is_deleted, ${flat(PRODUCT)} WHERE p.updated_at >= ?",
          ${remember('changed', 'updated_at')}, ${this.#database()} }
        { name: removed, sql: "SELECT sku, 'true' AS is_deleted, deleted_at FROM deleted_products WHERE deleted_at >= ?",
          ${remember('removed', 'deleted_at')}, ${this.#database()} }
      ]
      pipelines: [{ name: products, stages: [] }]
      indexer { type: OpenSearch, batchSize: 100, blacklist: [is_deleted]
        deletionMarkerField: is_deleted, deletionMarkerFieldValue: "true" }
      opensearch { url: "${this.#places.opensearch}", index: ${this.#places.alias} }`;
  }

  /** Changes, deletes and adds products at random. */
  async change(changes: number): Promise<void> {
    for (let i = 0; i < changes; i++) {
      const sku = 1 + this.#random.below(this.#next - 1);
      const kind = this.#random.below(10);
      if (kind === 0) await this.delete(sku);
      else if (kind === 1) await this.#add();
      else if (kind === 2) await this.#rename(sku);
      else await this.setPrice(sku, this.#random.below(1_000_000) / 100);
    }
  }

  async setPrice(sku: number, price: number): Promise<void> {
    await this.#client.query(
      `WITH changed AS (UPDATE prices SET amount = ${price} WHERE sku = ${sku})
       UPDATE products SET updated_at = clock_timestamp() WHERE sku = ${sku}`,
    );
  }

  async delete(sku: number): Promise<void> {
    await this.#client.query(
      `WITH gone AS (DELETE FROM products WHERE sku = ${sku} RETURNING sku)
       INSERT INTO deleted_products SELECT sku, clock_timestamp() FROM gone`,
    );
  }

  /** Changes the columns of a product, and its variants. */
  async #rename(sku: number): Promise<void> {
    const change = this.#random.below(1_000_000);
    await this.#client.query(
      `WITH changed AS (UPDATE variants SET color = 'color ${change}', stock = ${change % 40} WHERE sku = ${sku})
       UPDATE products SET title = 'Title ${change}', brand = 'brand${change % 50}', updated_at = clock_timestamp()
       WHERE sku = ${sku}`,
    );
  }

  async #add(): Promise<void> {
    const sku = this.#next++;
    await this.#client.query(
      `WITH priced AS (INSERT INTO prices SELECT ${sku}, c, 1 FROM unnest('{EUR,USD}'::text[]) c)
       INSERT INTO products VALUES (${sku}, 'Product ${sku}', 'new', clock_timestamp())`,
    );
  }

  /** Returns the differences between the table and the index, in all columns; or nothing. */
  async differences(): Promise<string[]> {
    const wanted = await this.#table();
    const found = await this.#index();
    const all = new Set([...wanted.keys(), ...found.keys()]);
    return [...all]
      .filter((id) => !isDeepStrictEqual(wanted.get(id), found.get(id)))
      .map((id) => `${id} is ${text(wanted.get(id))} in the table and ${text(found.get(id))} in the index`);
  }

  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#client.query(sql)).rows;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /** Returns all products in the table, by their ids. */
  async #table(): Promise<Map<string, unknown>> {
    // The text of a time has all digits, the Date of the driver does not.
    const time = `to_char(p.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS time`;
    const { rows } = await this.#client.query(`SELECT ${time}, ${PRODUCT}`);
    return new Map(
      rows.map(({ sku, time: updated_at, ...columns }) => [sku, product({ ...columns, sku: Number(sku), updated_at })]),
    );
  }

  /** Returns all products in the index, by their ids. */
  async #index(): Promise<Map<string, unknown>> {
    const { opensearch, alias } = this.#places;
    const products = new Map<string, unknown>();
    await ask(`${opensearch}/${alias}/_refresh`, {});
    for (let after: unknown[] | undefined; ; ) {
      const search = { size: 10_000, sort: [{ sku: 'asc' }], ...(after && { search_after: after }) };
      const { hits } = (await ask(`${opensearch}/${alias}/_search`, search)) as {
        hits: { hits: { _id: string; _source: { updated_at: string }; sort: unknown[] }[] };
      };
      for (const { _id, _source } of hits.hits) {
        const { id: _1, run_id: _2, ...columns } = _source as Product & { id?: unknown; run_id?: unknown };
        products.set(_id, product(columns));
      }
      after = hits.hits.at(-1)?.sort;
      if (after === undefined) return products;
    }
  }

  #database(): string {
    const { host, pathname, username } = new URL(this.#places.postgres);
    return `class: DatabaseConnector, driver: org.postgresql.Driver, idField: sku, pipeline: products
      connectionString: "jdbc:postgresql://${host}${pathname}", jdbcUser: ${username}, jdbcPassword: ""`;
  }
}

/** Calls a function in the background, again and again, until `stop` is called. */
export function again(work: () => Promise<void>, everyMillis: number): { stop(): Promise<void> } {
  let isStopped = false;
  const loop = (async () => {
    while (!isStopped) {
      await work();
      await sleep(everyMillis);
    }
  })();
  // The caller sees the error at `stop`.
  loop.catch(() => undefined);
  return {
    stop: () => {
      isStopped = true;
      return loop;
    },
  };
}

async function ask(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** A product with its columns, as the index or the table has it. */
interface Product {
  readonly updated_at: string;
  readonly variants?: unknown;
}

/** Returns a product in one spelling: an index has milliseconds, and no field for a product without variants. */
function product({ updated_at, variants, ...columns }: Product): object {
  return { ...columns, updated_at: Date.parse(updated_at), variants: variants ?? [] };
}

function text(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

/** Returns a query in one line, for a config. */
function flat(sql: string): string {
  return sql.replace(/\s+/g, ' ');
}
