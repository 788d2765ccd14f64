import type { Logger } from '@headrace/engine';
import { type HttpResponse, requireSuccess } from '../http/http-client.ts';
import { parse } from './bulk-reply.ts';
import type { SearchEngine } from './search-engine.ts';

/** An index template, as `GET _index_template` returns it. */
export interface IndexTemplate {
  readonly index_patterns?: string | readonly string[];
  readonly priority?: number;
  readonly data_stream?: object;
}

/** The answer of `GET _resolve/index/NAME`. */
interface Resolved {
  readonly indices?: readonly { readonly data_stream?: string }[];
  readonly aliases?: readonly { readonly indices?: readonly string[] }[];
  readonly data_streams?: readonly object[];
}

export interface DataStreamsOptions {
  readonly engine: SearchEngine;
  /** Whether all names are data streams, or none is. Undefined: the search engine is asked. */
  readonly all?: boolean | undefined;
  /** Templates that do not exist yet, but will before the first write. */
  readonly templates?: readonly IndexTemplate[];
  readonly log?: Logger;
}

/**
 * Knows which names are data streams: those that exist, aliases of them, and names for which the first write creates
 * one, because their index template says so.
 */
export class DataStreams {
  readonly #options: DataStreamsOptions;
  readonly #known = new Map<string, boolean>();
  #templates: readonly IndexTemplate[] | undefined;
  #hasAny = false;
  #warned = false;

  constructor(options: DataStreamsOptions) {
    this.#options = options;
  }

  /** Returns whether a name is a data stream. False if `find` was not called for it. */
  has(name: string): boolean {
    return this.#options.all ?? this.#known.get(name) ?? false;
  }

  /** Whether any name is known to be a data stream. */
  get hasAny(): boolean {
    return this.#options.all ?? this.#hasAny;
  }

  /** Remembers that a name is a data stream. */
  add(name: string): void {
    this.#known.set(name, true);
    this.#hasAny = true;
  }

  /**
   * Asks the search engine about names that are not known yet. Returns the response of a search engine that cannot
   * answer now; then ask again. Throws the `HttpError` of a request without a response.
   */
  async find(names: Iterable<string>): Promise<HttpResponse | undefined> {
    if (this.#options.all !== undefined) return undefined;
    for (const name of names) {
      if (this.#known.has(name)) continue;
      const found = await this.#ask(name);
      if (typeof found === 'object') return found;
      // Without permission to ask, documents are sent as to an index.
      if (found === true) this.add(name);
      else this.#known.set(name, false);
    }
    return undefined;
  }

  /**
   * Returns whether a name is a data stream for the search engine, also if the config says otherwise. Undefined if this
   * user may not ask. Throws an `HttpError` if the search engine cannot answer.
   */
  async exists(name: string): Promise<boolean | undefined> {
    const found = await this.#ask(name);
    return typeof found === 'object' ? requireSuccess(found) && undefined : found;
  }

  async #ask(name: string): Promise<boolean | undefined | HttpResponse> {
    const response = await this.#resolve(name);
    if (isPassing(response)) return response;
    // OpenSearch answers with empty lists if nothing has the name, Elasticsearch with 404.
    const { indices = [], aliases = [], data_streams = [] } = resolvedIn(response);
    if (data_streams.length > 0) return true;
    const target = aliases[0]?.indices?.[0];
    if (target !== undefined) return this.#askTarget(target);
    if (indices.length > 0) return false;
    if (response.status === 200 || response.status === 404) return this.#askTemplates(nameIn(response) ?? name);
    return this.#unknown(response);
  }

  /** Asks about the first target of an alias. The others are of the same kind. */
  async #askTarget(target: string): Promise<boolean | HttpResponse> {
    const response = await this.#resolve(target);
    if (isPassing(response)) return response;
    const { indices = [], data_streams = [] } = resolvedIn(response);
    return data_streams.length > 0 || indices.some((index) => index.data_stream !== undefined);
  }

  #resolve(name: string): Promise<HttpResponse> {
    return this.#options.engine.request({ method: 'GET', path: `/_resolve/index/${encodeURIComponent(name)}` });
  }

  async #askTemplates(name: string): Promise<boolean | undefined | HttpResponse> {
    const { engine, templates = [] } = this.#options;
    if (this.#templates === undefined) {
      const response = await engine.request({ method: 'GET', path: '/_index_template' });
      if (isPassing(response)) return response;
      if (response.status !== 200 && response.status !== 404) {
        return makesDataStream(name, templates) || this.#unknown(response);
      }
      const { index_templates = [] } = (parse(response) ?? {}) as {
        index_templates?: readonly { index_template: IndexTemplate }[];
      };
      this.#templates = [...index_templates.map(({ index_template }) => index_template), ...templates];
    }
    return makesDataStream(name, this.#templates);
  }

  #unknown({ status }: HttpResponse): undefined {
    if (this.#warned || (status !== 401 && status !== 403)) return;
    this.#warned = true;
    this.#options.log?.warn(
      `The search engine does not say whether the destination is a data stream (HTTP ${status}). If it is, set dataStream: true, or permit view_index_metadata and reading index templates`,
    );
  }
}

/** Returns whether the first write to a name that does not exist creates a data stream. */
export function makesDataStream(name: string, templates: readonly IndexTemplate[]): boolean {
  let best: IndexTemplate | undefined;
  for (const template of templates) {
    if (![template.index_patterns ?? []].flat().some((pattern) => matches(name, pattern))) continue;
    if (best === undefined || (template.priority ?? 0) >= (best.priority ?? 0)) best = template;
  }
  return best?.data_stream !== undefined;
}

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

/** Returns the name that is missing: the search engine has computed it if the given name is date math. */
function nameIn(response: HttpResponse): string | undefined {
  const { error } = (parse(response) ?? {}) as { error?: { index?: string } };
  return error?.index;
}

function resolvedIn(response: HttpResponse): Resolved {
  return response.status === 200 ? ((parse(response) ?? {}) as Resolved) : {};
}

/** Returns whether a later request may be answered. */
function isPassing({ status }: HttpResponse): boolean {
  return status === 429 || status >= 500;
}
