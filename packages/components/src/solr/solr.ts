import { HeadraceError, type JsonObject, readJson, type Value } from '@headrace/engine';
import { HttpClient, type HttpRequest, type HttpResponse, requireSuccess } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { authorizationOf, tlsOf } from '../http/server-access.ts';
import { nodesInZooKeeper } from './solr-nodes.ts';
import { type SolrSettings, solrAccess, solrUrls } from './solr-settings.ts';

/** The time-out is long, because commits and deletes by query may be slow. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;
/** The maximum size of a page of large documents. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** Longer queries are sent in the body: Solr and proxies limit the length of a URL. */
const MAX_QUERY_LENGTH = 2000;

/** The reason for a status 404 with an HTML page: Solr itself would return a JSON error. */
export const NO_COLLECTION = 'there is no such core or collection';

/**
 * A client for a core or collection of Solr, over HTTP and JSON. With several URLs, the attempt after a temporary
 * failure uses the next URL.
 */
export class Solr {
  readonly #client: HttpClient;
  readonly #bases: readonly string[];

  private constructor(client: HttpClient, bases: readonly string[]) {
    this.#client = client;
    this.#bases = bases;
  }

  /** Creates the client. Reads the nodes from ZooKeeper if it is configured, and opens no other connection yet. */
  static async open(settings: SolrSettings, retry: RetryPolicy = DEFAULT_RETRY): Promise<Solr> {
    const { useCloudClient, defaultCollection = '', zkHosts = [] } = settings;
    const urls = useCloudClient && zkHosts.length > 0 ? await nodesInZooKeeper(settings) : solrUrls(settings);
    const access = solrAccess(settings);
    const authorization = authorizationOf(access);
    const client = await HttpClient.open({
      answerTimeout: ANSWER_TIMEOUT_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      ...(authorization === undefined ? {} : { headers: { authorization } }),
      tls: tlsOf(access),
      retry,
    });
    const collection = useCloudClient ? `/${encodeURIComponent(defaultCollection)}` : '';
    return new Solr(
      client,
      urls.map((url) => url + collection),
    );
  }

  /** The URLs of Solr without credentials, for messages. */
  get address(): string {
    return this.#bases.map(safeUrl).join(', ');
  }

  /** Sends a query and returns the response. */
  async select(params: URLSearchParams, signal: AbortSignal): Promise<JsonObject> {
    const query = params.toString();
    const response = await this.#send(
      query.length <= MAX_QUERY_LENGTH
        ? { path: `/select?${query}`, signal }
        : {
            path: '/select',
            method: 'POST',
            body: query,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            signal,
          },
    );
    const answer = readJson(response.body.toString());
    if (!(answer instanceof Map))
      throw new Error(`${safeUrl(response.url)} returned something other than a JSON object`);
    return answer;
  }

  /**
   * Checks that Solr is reachable, accepts the credentials, and has the core or collection. Throws the reason if not.
   */
  async ping(signal: AbortSignal): Promise<void> {
    await this.select(new URLSearchParams({ q: '*:*', rows: '0' }), signal);
  }

  /** Sends a command that changes the index. Only an explicit commit in the command commits it. */
  async update(body: string, contentType: string, signal: AbortSignal): Promise<void> {
    await this.#send({
      path: '/update?wt=json',
      method: 'POST',
      body,
      headers: { 'content-type': contentType },
      signal,
    });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #send({ path, ...request }: Omit<HttpRequest, 'url'> & { path: string }): Promise<HttpResponse> {
    const response = await this.#client.request({ ...request, url: this.#bases.map((base) => base + path) });
    try {
      return requireSuccess(response);
    } catch (error) {
      const { method, url, status } = response;
      const reason = reasonOf(response.body) ?? (status === 404 ? NO_COLLECTION : undefined);
      if (reason === undefined) throw error;
      const place = safeUrl(url.replace(/\?.*$/, ''));
      throw new HttpError('status', `${method} ${place} answered ${status}: ${reason}`, { url, status });
    }
  }
}

/** Returns the error message of Solr; undefined if the response is not from Solr. */
function reasonOf(body: Buffer): string | undefined {
  try {
    const answer = readJson(body.toString());
    const error = answer instanceof Map ? answer.get('error') : undefined;
    const message: Value | undefined = error instanceof Map ? error.get('msg') : undefined;
    return typeof message === 'string' ? message : undefined;
  } catch (error) {
    // The response may be an HTML page of a proxy or of Solr's web server.
    if (error instanceof HeadraceError) return undefined;
    throw error;
  }
}
