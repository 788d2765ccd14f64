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
import { isDelivered } from '../publishing/delivered.ts';
import { checkSolrParams, cursorQuery } from '../solr/cursor-query.ts';
import { reachSolr } from '../solr/reach-solr.ts';
import { Solr } from '../solr/solr.ts';
import { checkSolr, SolrUrls, solrParameters } from '../solr/solr-settings.ts';

const parameters = Type.Object({
  solr: Type.Object({ url: SolrUrls, ...solrParameters }),
  preActions: Type.Optional(Type.Array(Type.String(), { default: [] })),
  postActions: Type.Optional(Type.Array(Type.String(), { default: [] })),
  useXml: Type.Optional(Type.Boolean({ default: false })),
  solrParams: Type.Optional(MapOf(Type.Unknown())),
  idField: Type.Optional(Type.String({ default: 'id' })),
});

/** A page of results. */
interface Page {
  readonly documents: readonly Value[];
  /** Where the next page begins; the same as before when there is none. */
  readonly next: string;
}

/**
 * Reads all results of a query from Solr, and sends commands to Solr before and after: to empty a collection before a
 * run, to commit behind it. Without a pipeline it does the latter only.
 * <p>
 * Each result becomes a document. Its id is the value of the field idField, behind the docIdPrefix; a result without
 * that field fails by itself. All other fields are copied, but for <code>id</code> and the reserved ones, their names in
 * lower case, their values as Solr has them: numbers stay numbers, dates are ISO texts, a field of many values is a list.
 * <p>
 * Results are read page by page with a cursor, so a collection of any size can be read, the next page while
 * one is published. The cursor needs an order without ties: <code>idField asc</code> goes behind the
 * <code>sort</code> of the query, so idField must be the unique key of the collection. Documents that are indexed
 * meanwhile may be among the results or not.
 * <p>
 * Commands are bodies of requests to <code>/update</code>; <code>{runId}</code> in them stands for the id of the run. None
 * is committed unless it is, or holds, a commit. preActions are sent one after the other before anything is read,
 * postActions when all documents have come to their end; not when some could not be delivered because the destination was
 * away, overloaded or took nothing. A command that fails fails the run, and so does a query. Previews leave commands out. What fails in passing is tried again, with several URLs at the next of them.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>solr (Map, Required) : How to reach Solr.</li>
 *   <li>solr.url (List&lt;String&gt;, Required) : URLs of the same core or collection, its name at their end: <code>http://localhost:8983/solr/books</code>. With useCloudClient, URLs of nodes without it: <code>http://localhost:8983/solr</code>. One may be written without a list; with zkHosts the list may be empty. A user and a password in a URL are sent as basic authentication.</li>
 *   <li>solr.useCloudClient (Boolean, Optional) : Whether the URLs are those of nodes of SolrCloud; the collection is defaultCollection then. Defaults to false.</li>
 *   <li>solr.defaultCollection (String, Optional) : The collection; needed with useCloudClient, without effect otherwise.</li>
 *   <li>solr.zkHosts (List&lt;String&gt;, Optional) : The ZooKeeper of a cloud, as <code>host:port</code>: it tells which nodes are alive. With useCloudClient it wins over url.</li>
 *   <li>solr.zkChroot (String, Optional) : The path in ZooKeeper below which Solr keeps its state. Defaults to the root.</li>
 *   <li>solr.userName (String, Optional) : The user for basic authentication; needs password.</li>
 *   <li>solr.password (String, Optional) : The user's password; best taken from the environment, <code>${SOLR_PASSWORD}</code>.</li>
 *   <li>solr.bearerToken (String, Optional) : A token, instead of user and password: it is sent as <code>Authorization: Bearer …</code>.</li>
 *   <li>solr.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>solr.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>solr.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>solr.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>solr.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>solr.acceptInvalidCert (Boolean, Optional) : Whether to trust every certificate, of whatever host. Defaults to false.</li>
 *   <li>solr.javax.net.ssl.trustStore (String, Optional) : A PEM file with certificates of authorities to trust besides those that the system does. Stores of Java cannot be read.</li>
 *   <li>solr.javax.net.ssl.trustStorePassword (String, Optional) : Accepted, and not needed.</li>
 *   <li>solr.javax.net.ssl.keyStore (String, Optional) : A PEM file with the certificate of the client and its key.</li>
 *   <li>solr.javax.net.ssl.keyStorePassword (String, Optional) : The password of that key.</li>
 *   <li>preActions (List&lt;String&gt;, Optional) : Commands to send before anything is read, such as <code>{"delete": {"query": "*:*"}}</code>. Defaults to none.</li>
 *   <li>postActions (List&lt;String&gt;, Optional) : Commands to send at the end, such as <code>{"commit": {}}</code> or <code>{"delete": {"query": "-run_id:{runId}"}}</code>. Defaults to none.</li>
 *   <li>useXml (Boolean, Optional) : Whether the commands are XML instead of JSON. Defaults to false.</li>
 *   <li>solrParams (Map&lt;String, Object&gt;, Optional) : The parameters of the query: <code>q</code>, <code>fq</code>, <code>fl</code>, <code>sort</code> and all others; one with several values has a list. <code>rows</code> is the size of a page, by default 1000. Defaults to all documents.</li>
 *   <li>idField (String, Optional) : The unique key of the collection, letter case included. Defaults to id.</li>
 * </ul>
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

  override async reach(_report: unknown, signal: AbortSignal): Promise<void> {
    await reachSolr(this.params.solr, signal);
  }

  override async preExecute(): Promise<void> {
    await this.#act('preActions', this.params.preActions ?? []);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    if (publisher === undefined) return;
    this.#target = publisher;
    const { signal } = publisher;
    const { solrParams, idField = 'id' } = this.params;
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
        // It may fail while this page is published; it is awaited behind that.
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
    const { postActions = [] } = this.params;
    if (postActions.length === 0) return;
    // A deletion of what is old would take with it what has no new version yet.
    if (await isDelivered(this.#target)) await this.#act('postActions', postActions);
    else this.message = 'postActions were left out: documents could not be delivered';
  }

  override async close(): Promise<void> {
    await this.#solr?.close();
  }

  async #act(parameter: 'preActions' | 'postActions', actions: readonly string[]): Promise<void> {
    const { runId, log, preview, signal } = this.context;
    if (preview && actions.length > 0) {
      log.warn(`${parameter} are left out in a preview`);
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
    const { idField = 'id' } = this.params;
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
    throw new Error('it gave a part of the results only: timeAllowed is too short, or a shard is missing');
  }
  const response = answer.get('response');
  const documents = response instanceof Map ? response.get('docs') : undefined;
  const next = answer.get('nextCursorMark');
  if (!Array.isArray(documents) || typeof next !== 'string') {
    throw new Error('its answer holds no list of documents with a cursor: grouped results cannot be read');
  }
  return { documents, next };
}
