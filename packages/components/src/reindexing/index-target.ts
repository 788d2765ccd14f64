import type { CheckResult } from '@headrace/engine';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { aliasTargets, moveAlias, requireAlias } from './index-alias.ts';
import type { IndexDefinition } from './index-definition.ts';
import { runChecks } from './rebuild-checks.ts';
import { markOf, type RebuildMark, type RebuiltIndex } from './rebuild-mark.ts';
import type { RebuildTarget } from './rebuild-target.ts';
import { ReindexError } from './reindex-error.ts';
import { requiredField } from './required-field.ts';
import type { Checks, FinishedRun, Json, RebuildPlan } from './types.ts';

/** Settings during the build: without replicas and refreshes, the search engine writes much faster. */
const BUILD_SETTINGS: Json = {
  'index.number_of_replicas': 0,
  'index.auto_expand_replicas': false,
  'index.refresh_interval': -1,
};

/**
 * Returns the name that documents are written to: an alias that only the new index has. If the index is removed during
 * the run, writes fail, and the search engine does not create an index with guessed types.
 */
export function writeNameOf(index: string): string {
  return `${index}-build`;
}

/**
 * Makes a request fail that moves an alias to a new index, if the search engine has not executed it yet: it must remove
 * the alias for writing, which this function removes first.
 */
export async function cancelMove(admin: IndexAdmin, index: string): Promise<void> {
  const remove = { remove: { index, alias: writeNameOf(index), must_exist: true } };
  // 404: the alias for writing is gone, so the request was executed or cancelled, or the index was deleted.
  await admin.find('POST', '/_aliases', { actions: [remove] });
}

interface Mapped {
  readonly mappings?: Json & { readonly _meta?: Json & { readonly headrace?: RebuildMark } };
}

/** The indices of OpenSearch and Elasticsearch. Their marks are in `_meta.headrace` of the mappings. */
export class IndexTarget implements RebuildTarget {
  readonly what = 'index';
  readonly #admin: IndexAdmin;
  readonly #base: string;
  readonly #alias: string;
  readonly #definition: IndexDefinition | undefined;
  #restored: Json = {};

  /** @param definition of new indices. Undefined if none is created */
  constructor(admin: IndexAdmin, { base, alias }: Pick<RebuildPlan, 'base' | 'alias'>, definition?: IndexDefinition) {
    this.#admin = admin;
    this.#base = base;
    this.#alias = alias;
    this.#definition = definition;
  }

  get address(): string {
    return this.#admin.address;
  }

  async requireAlias(): Promise<ReadonlySet<string>> {
    return new Set((await requireAlias(this.#admin, this.#alias)).keys());
  }

  /** Returns all names of the live index: the alias, its indices, and their other aliases. */
  async names(): Promise<string[]> {
    const names = new Set([this.#alias]);
    for (const index of await this.live()) {
      const answer = await this.#admin.find<Record<string, { aliases?: Json }>>('GET', `/${inPath(index)}/_alias`);
      for (const [name, { aliases = {} }] of Object.entries(answer ?? {}))
        for (const one of [name, ...Object.keys(aliases)]) names.add(one);
    }
    return [...names];
  }

  async live(): Promise<ReadonlySet<string>> {
    return new Set((await aliasTargets(this.#admin, this.#alias)).keys());
  }

  async marked(): Promise<RebuiltIndex[]> {
    const path = `/${inPath(this.#base)}-*/_mapping?filter_path=*.mappings._meta.headrace&expand_wildcards=all`;
    const answer = (await this.#admin.find<Record<string, Mapped>>('GET', path)) ?? {};
    return Object.entries(answer).flatMap(([name, { mappings }]) => {
      const mark = markOf(mappings?._meta?.headrace, name, this.#base, this.#alias);
      return mark === undefined ? [] : [{ name, mark }];
    });
  }

  async create({ name, mark }: RebuiltIndex): Promise<void> {
    const { settings = {}, mappings = {} } = this.#definition ?? {};
    const meta = { ...(mappings._meta as Json | undefined), headrace: mark };
    await this.#admin.ask('PUT', `/${inPath(name)}`, {
      settings,
      mappings: { ...mappings, _meta: meta },
      aliases: { [writeNameOf(name)]: {} },
    });
  }

  /** Turns replicas and refreshes off, and remembers the settings that the config or a template gave the index. */
  async prepare(name: string): Promise<void> {
    const path = `/${inPath(name)}/_settings`;
    const answer = await this.#admin.ask<Record<string, { settings: Json }>>('GET', `${path}?flat_settings=true`);
    const settings = answer[name]?.settings ?? {};
    this.#restored = Object.fromEntries(Object.keys(BUILD_SETTINGS).map((key) => [key, settings[key] ?? null]));
    await this.#admin.ask('PUT', path, BUILD_SETTINGS);
  }

  async complete(name: string, signal: AbortSignal): Promise<void> {
    await this.#admin.ask('POST', `/${inPath(name)}/_refresh`, undefined, signal);
    await this.#admin.ask('PUT', `/${inPath(name)}/_settings`, this.#restored, signal);
  }

  check(name: string, checks: Checks, run: FinishedRun, signal: AbortSignal): Promise<CheckResult[]> {
    const admin = this.#admin;
    const count = async (index: string, query?: Json) => {
      const path = `/${inPath(index)}/_count`;
      const body = query && { query };
      const answer = await admin.find<{ count: number }>(body === undefined ? 'GET' : 'POST', path, body, signal);
      return answer?.count;
    };
    let mappings: Json | undefined;
    return runChecks({
      what: this.what,
      checks,
      run,
      count: async () => (await count(name)) ?? 0,
      countLive: () => count(this.#alias),
      countWith: async (field) => {
        const path = `/${inPath(name)}/_mapping`;
        mappings ??= (await admin.ask<Record<string, Mapped>>('GET', path, undefined, signal))[name]?.mappings ?? {};
        const check = requiredField(mappings, field);
        if ('because' in check) return check;
        try {
          return (await count(name, check.query)) ?? 0;
        } catch (error) {
          // Some types, such as rank_features, refuse the query.
          if (error instanceof ReindexError && error.status === 400) return { because: error.message };
          throw error;
        }
      },
      search: async (query, size) => {
        const body = { size, _source: false, query };
        const path = `/${inPath(name)}/_search`;
        const answer = await admin.ask<{ hits: { hits: { _id: string }[] } }>('POST', path, body, signal);
        return answer.hits.hits.map(({ _id }) => _id);
      },
    });
  }

  async moveToNew(name: string): Promise<ReadonlySet<string>> {
    // The alias for writing must still exist: otherwise this index is no longer that of the run, and nothing moves.
    const remove = { remove: { index: name, alias: writeNameOf(name), must_exist: true } };
    return new Set((await moveAlias(this.#admin, this.#alias, name, [remove])).keys());
  }

  async cancelMove(name: string): Promise<void> {
    await cancelMove(this.#admin, name);
  }

  async moveBack(name: string): Promise<void> {
    await moveAlias(this.#admin, this.#alias, name);
  }

  /** Keeps everything else in `_meta`. */
  async changeMark({ name, mark }: RebuiltIndex, change: Partial<RebuildMark>): Promise<void> {
    const path = `/${inPath(name)}/_mapping`;
    const { mappings } = (await this.#admin.ask<Record<string, Mapped>>('GET', path))[name] ?? {};
    await this.#admin.ask('PUT', path, { _meta: { ...mappings?._meta, headrace: { ...mark, ...change } } });
  }

  async remove(name: string): Promise<void> {
    await this.#admin.find('DELETE', `/${inPath(name)}`);
  }
}
