import {
  Connector,
  Document,
  HeadraceError,
  type JsonObject,
  MapOf,
  messageOf,
  type ParameterProblem,
  type Publisher,
  RESERVED_FIELDS,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { HttpError } from '../http/http-error.ts';
import { isDelivered } from '../publishing/unread.ts';
import { checkSolrAccess } from '../solr/check-solr-access.ts';
import { checkSolrParams, cursorQuery } from '../solr/cursor-query.ts';
import { Solr } from '../solr/solr.ts';
import { checkSolr, SolrUrls, solrParameters } from '../solr/solr-settings.ts';

const parameters = Type.Object({
  /** How to reach Solr. */
  solr: Type.Object({
    /**
     * URLs of the same core or collection, with its name at the end: http://localhost:8983/solr/books. With
     * useCloudClient, URLs of nodes without it: http://localhost:8983/solr. A single URL needs no list. With zkHosts
     * the list may be empty. A user and a password in a URL are sent as basic authentication.
     */
    url: SolrUrls,
    ...solrParameters,
  }),
  /** Commands to send before the query, such as {"delete": {"query": "*:*"}}. */
  preActions: Type.Array(Type.String(), { default: [] }),
  /** Commands to send at the end, such as {"commit": {}} or {"delete": {"query": "-run_id:{runId}"}}. */
  postActions: Type.Array(Type.String(), { default: [] }),
  /** Whether the commands are XML instead of JSON. */
  useXml: Type.Boolean({ default: false }),
  /**
   * The parameters of the query: q, fq, fl, sort and all others. One with several values has a list. rows is the size
   * of a page, 1000 by default. Defaults to all documents.
   */
  solrParams: Type.Optional(MapOf(Type.Unknown())),
  /** The unique key of the collection, letter case included. */
  idField: Type.String({ default: 'id' }),
});

/** A page of results. */
interface Page {
  readonly documents: readonly Value[];
  /** The start of the next page. It does not change after the last page. */
  readonly next: string;
}

/**
 * Reads all results of a query from Solr, and sends commands to Solr before and after: for example to empty a
 * collection before a run, or to commit after it. Without a pipeline it only sends the commands.
 *
 * Each result becomes a document. Its id is the docIdPrefix and the value of the field idField. A result without that
 * field fails alone. All other fields are copied except id and the reserved ones, with names in lower case and the
 * values of Solr: numbers stay numbers, dates are ISO texts, a field with many values is a list.
 *
 * Results are read page by page with a cursor, so a collection of any size can be read. The next page is read while one
 * is published. The cursor needs an order without ties: idField asc is added to the sort of the query, so idField must
 * be the unique key of the collection. Documents that are indexed during the run may be among the results or not.
 *
 * Commands are bodies of requests to /update. {runId} in them is replaced by the id of the run. Nothing is committed
 * unless a command is, or contains, a commit. preActions are sent in order before the query, postActions after all
 * documents have finished, but not if some could not be delivered because the destination was away, overloaded or
 * refused everything. A command that fails fails the run, and so does a query. Previews send no commands. Temporary
 * failures are tried again, with several URLs at the next one.
 */
export class SolrConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  #solr: Solr | undefined;
  #target: Publisher | undefined;

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkSolr(params.solr);
    yield* checkSolrParams(params.solrParams as ReadonlyMap<string, Value> | undefined);
    if (params.idField?.trim() === '') yield { parameter: 'idField', message: 'idField must not be empty' };
  }

  override async checkAccess(_report: unknown, signal: AbortSignal): Promise<void> {
    await checkSolrAccess(this.params.solr, signal);
  }

  override async preExecute(): Promise<void> {
    await this.#act('preActions', this.params.preActions);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    if (publisher === undefined) return;
    this.#target = publisher;
    const { signal } = publisher;
    const { solrParams, idField } = this.params;
    const query = cursorQuery(solrParams as ReadonlyMap<string, Value> | undefined, idField);
    let cursor = '*';
    let page = this.#page(query, cursor, signal);
    let number = 0;
    for (;;) {
      const { documents, next } = await page.catch((error: unknown) => {
        if (signal.aborted) return { documents: [], next: cursor };
        throw error;
      });
      const isLast = next === cursor;
      cursor = next;
      if (!isLast) {
        page = this.#page(query, cursor, signal);
        // The next page may fail while this page is published. The error is handled when the page is awaited.
        page.catch(() => undefined);
      }
      for (const result of documents) {
        if (signal.aborted) return;
        const waiting = this.#publish(result as JsonObject, ++number, publisher);
        if (waiting !== undefined) await waiting;
      }
      if (isLast || signal.aborted) return;
    }
  }

  override async postExecute(): Promise<void> {
    const { postActions } = this.params;
    if (postActions.length === 0) return;
    // A command that deletes old documents would also delete those whose new version was not delivered.
    if (await isDelivered(this.#target)) await this.#act('postActions', postActions);
    else this.message = 'postActions were not sent: documents could not be delivered';
  }

  override async close(): Promise<void> {
    await this.#solr?.close();
  }

  async #act(parameter: 'preActions' | 'postActions', actions: readonly string[]): Promise<void> {
    const { runId, log, preview, signal } = this.context;
    if (preview && actions.length > 0) {
      log.warn(`${parameter} are not sent in a preview`);
      return;
    }
    for (const [i, action] of actions.entries()) {
      const solr = await this.#open();
      const body = action.replaceAll('{runId}', () => runId);
      try {
        await solr.update(body, this.params.useXml === true ? 'text/xml' : 'text/json', signal);
      } catch (error) {
        throw new HeadraceError('HR_CONNECTOR_FAILED', `${parameter}[${i}]: ${messageOf(error)}`);
      }
    }
  }

  async #page(query: URLSearchParams, cursor: string, signal: AbortSignal): Promise<Page> {
    const solr = await this.#open();
    const params = new URLSearchParams(query);
    params.set('cursorMark', cursor);
    try {
      return readPage(await solr.select(params, signal));
    } catch (error) {
      const reason = error instanceof HttpError ? error.message : `${solr.address}: ${messageOf(error)}`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', reason, {
        hint: 'Check solr.url, with the collection at its end, solrParams, and that idField is the unique key.',
      });
    }
  }

  #publish(result: JsonObject, number: number, publisher: Publisher): Promise<void> | undefined {
    const { idField } = this.params;
    const key = result.get(idField);
    const id = key === undefined || Array.isArray(key) ? '' : (textOf(key) ?? '');
    if (id === '') {
      const place = `${this.#solr?.address}, result ${number}`;
      return publisher.reject({ place, message: `it has no value in the field ${idField} for the id` });
    }
    const document = Document.create(this.context.docIdPrefix + id);
    for (const [name, value] of result) {
      const field = name.toLowerCase();
      if (name === idField || RESERVED_FIELDS.has(field) || field === '') continue;
      if (!document.has(field)) document.set(field, value);
      else for (const one of Array.isArray(value) ? value : [value]) document.add(field, one);
    }
    return publisher.publish(document);
  }

  async #open(): Promise<Solr> {
    this.#solr ??= await Solr.open(this.params.solr);
    return this.#solr;
  }
}

function readPage(answer: JsonObject): Page {
  const header = answer.get('responseHeader');
  if (header instanceof Map && header.get('partialResults') === true) {
    throw new Error('it returned only a part of the results: timeAllowed is too short, or a shard is missing');
  }
  const response = answer.get('response');
  const documents = response instanceof Map ? response.get('docs') : undefined;
  const next = answer.get('nextCursorMark');
  if (!Array.isArray(documents) || typeof next !== 'string') {
    throw new Error('its answer has no list of documents with a cursor: grouped results cannot be read');
  }
  return { documents, next };
}
