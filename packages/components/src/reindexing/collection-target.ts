import { type CheckResult, messageOf, parseJson } from '@headrace/engine';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { runChecks } from './rebuild-checks.ts';
import { markOf, type RebuildMark, type RebuiltIndex } from './rebuild-mark.ts';
import type { RebuildTarget } from './rebuild-target.ts';
import { ReindexError } from './reindex-error.ts';
import { addFields, type CollectionDefinition, requestCollection } from './solr-collection.ts';
import type { Checks, FinishedRun, Json, Log, RebuildPlan } from './types.ts';
import type { CollectionState } from './watched-collection.ts';

/** The property of a collection with its mark, as JSON. It is part of the state of the collection in ZooKeeper. */
const MARK = 'property.headrace';

interface Cluster {
  readonly collections?: Readonly<Record<string, Json>>;
}

interface Aliases {
  readonly aliases?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The collections of a SolrCloud. Solr itself refuses to delete a collection that an alias points to. */
export class CollectionTarget implements RebuildTarget {
  readonly what = 'collection';
  readonly #admin: IndexAdmin;
  readonly #base: string;
  readonly #alias: string;
  readonly #definition: CollectionDefinition;
  readonly #log: Log;

  constructor(
    admin: IndexAdmin,
    { base, alias }: Pick<RebuildPlan, 'base' | 'alias'>,
    definition: CollectionDefinition,
    log: Log,
  ) {
    this.#admin = admin;
    this.#base = base;
    this.#alias = alias;
    this.#definition = definition;
    this.#log = log;
  }

  get address(): string {
    return this.#admin.address;
  }

  async requireAlias(): Promise<ReadonlySet<string>> {
    const { properties } = await this.#aliases();
    if (Object.keys(properties?.[this.#alias] ?? {}).some((name) => name.startsWith('router.'))) {
      throw new ReindexError(`${this.#alias} is a routed alias, which rebuild cannot move`, 'Use another alias.');
    }
    // Solr would create an alias with the name of a collection, which then hides the collection.
    const { collections } = await this.#collectionsApi<{ collections: string[] }>({ action: 'LIST' });
    if (collections.includes(this.#alias)) {
      throw new ReindexError(
        `${this.#alias} is a collection at ${this.address}, but rebuild needs an alias`,
        'Set rebuild.alias to another name, or rename the collection first: see docs/reindexing.md.',
      );
    }
    return this.live();
  }

  async live(): Promise<ReadonlySet<string>> {
    const targets = (await this.#aliases()).aliases?.[this.#alias];
    return new Set(targets?.split(',') ?? []);
  }

  /** Returns all names of the live collections: the alias, its collections, and their other aliases. */
  async names(): Promise<string[]> {
    const live = await this.live();
    const { aliases = {} } = await this.#aliases();
    const others = Object.entries(aliases).filter(([, targets]) => targets.split(',').some((one) => live.has(one)));
    return [...new Set([this.#alias, ...live, ...others.map(([name]) => name)])];
  }

  /** Commits what was written to the live collections, and returns their state. */
  async state(): Promise<CollectionState> {
    const collections = [...(await this.live())].toSorted();
    let [version, documents] = [0, 0];
    for (const name of collections) {
      await this.#admin.ask('POST', `/${inPath(name)}/update?wt=json`, { commit: {} });
      const query = new URLSearchParams({ q: '*:*', rows: '1', fl: '_version_', sort: '_version_ desc', wt: 'json' });
      const { response } = await this.#admin.ask<{
        response: { numFound: number; docs: { _version_?: number }[] };
      }>('GET', `/${inPath(name)}/select?${query}`);
      documents += response.numFound;
      version = Math.max(version, response.docs[0]?._version_ ?? 0);
    }
    return { collections, version, documents };
  }

  async marked(): Promise<RebuiltIndex[]> {
    const { cluster } = await this.#collectionsApi<{ cluster: Cluster }>({ action: 'CLUSTERSTATUS' });
    return Object.entries(cluster.collections ?? {}).flatMap(([name, state]) => {
      const mark = markOf(parsed(state[MARK]), name, this.#base, this.#alias);
      return mark === undefined ? [] : [{ name, mark }];
    });
  }

  async create({ name, mark }: RebuiltIndex): Promise<void> {
    await requestCollection(this.#admin, name, this.#definition, { [MARK]: JSON.stringify(mark) });
    this.#log.info(`Created the collection ${name}`);
  }

  prepare(name: string): Promise<void> {
    return addFields(this.#admin, name, this.#definition, this.#log);
  }

  async complete(name: string, signal: AbortSignal): Promise<void> {
    await this.#admin.ask('POST', `/${inPath(name)}/update?wt=json`, { commit: {} }, signal);
  }

  check(name: string, checks: Checks, run: FinishedRun, signal: AbortSignal): Promise<CheckResult[]> {
    const select = async (collection: string, query: Readonly<Record<string, string>>) => {
      const path = `/${inPath(collection)}/select?${new URLSearchParams({ wt: 'json', ...query })}`;
      const answer = await this.#admin.ask<{ response: { numFound: number; docs: { id: string }[] } }>(
        'GET',
        path,
        undefined,
        signal,
      );
      return answer.response;
    };
    const count = async (collection: string, query: string) =>
      (await select(collection, { q: query, rows: '0' })).numFound;
    return runChecks({
      what: this.what,
      checks,
      run,
      count: () => count(name, '*:*'),
      countLive: async () => ((await this.live()).size === 0 ? undefined : count(this.#alias, '*:*')),
      countWith: async (field) => {
        try {
          return await count(name, `${escaped(field)}:*`);
        } catch (error) {
          // No document has a field that the schema does not have.
          if (messageOf(error).includes('undefined field')) return 0;
          throw error;
        }
      },
      search: async (query, size) => {
        const given = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, `${value}`]));
        const { docs } = await select(name, { ...given, rows: `${size}`, fl: 'id' });
        return docs.map(({ id }) => id);
      },
    });
  }

  async moveToNew(name: string): Promise<ReadonlySet<string>> {
    const replaced = await this.live();
    await this.moveBack(name);
    return replaced;
  }

  async moveBack(name: string): Promise<void> {
    try {
      await this.#collectionsApi({ action: 'CREATEALIAS', name: this.#alias, collections: name });
    } catch (error) {
      // The response may be lost, and then the second attempt may fail.
      const now = await this.live();
      if (now.size !== 1 || !now.has(name)) throw error;
    }
  }

  async changeMark({ name, mark }: RebuiltIndex, change: Partial<RebuildMark>): Promise<void> {
    const changed = JSON.stringify({ ...mark, ...change });
    await this.#collectionsApi({ action: 'MODIFYCOLLECTION', collection: name, [MARK]: changed });
  }

  async remove(name: string): Promise<void> {
    const { collections } = await this.#collectionsApi<{ collections: string[] }>({ action: 'LIST' });
    if (collections.includes(name)) await this.#collectionsApi({ action: 'DELETE', name });
  }

  #aliases(): Promise<Aliases> {
    return this.#collectionsApi<Aliases>({ action: 'LISTALIASES' });
  }

  #collectionsApi<T>(query: Readonly<Record<string, string>>): Promise<T> {
    return this.#admin.ask<T>('GET', `/admin/collections?${new URLSearchParams({ ...query, wt: 'json' })}`);
  }
}

/** Returns the name of a field for a query. */
function escaped(field: string): string {
  return field.replace(/[^\p{L}\p{N}_]/gu, '\\$&');
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? parseJson(text) : undefined;
  } catch {
    // Something else uses the property.
    return undefined;
  }
}
