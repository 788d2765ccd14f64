import { isTransient } from '@headrace/engine';
import { HttpClient, type HttpRequest, type HttpResponse, requireSuccess } from '../http/http-client.ts';
import type { RetryPolicy } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { authorizationOf, type ServerAccess, tlsOf } from '../http/server-access.ts';
import { baseUrls } from './connection.ts';

export interface SearchEngineSettings extends ServerAccess {
  /** One URL or several; see `baseUrls`. */
  readonly url: string;
  /** Whether request and response bodies are compressed. */
  readonly useCompression?: boolean;
  /** The maximum number of connections to each node. */
  readonly connections?: number;
  /** The maximum time until a response begins, in milliseconds; see `HttpClientOptions`. */
  readonly answerTimeout?: number;
  readonly retry?: RetryPolicy;
}

export interface SearchEngineRequest
  extends Pick<HttpRequest, 'method' | 'maxBodyBytes' | 'retry' | 'signal' | 'memory'> {
  /** The path below the base URL, with a leading slash; names in it are percent-encoded. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** Defaults to the content type of JSON. */
  readonly contentType?: string;
}

/**
 * A client for a cluster of OpenSearch or Elasticsearch over plain HTTP. It uses the node that answered last. After a
 * temporary failure, the next attempt uses the next node.
 */
export class SearchEngine {
  readonly #client: HttpClient;
  readonly #nodes: readonly string[];
  readonly #compressed: boolean;
  #preferred = 0;

  private constructor(client: HttpClient, nodes: readonly string[], compressed: boolean) {
    this.#client = client;
    this.#nodes = nodes;
    this.#compressed = compressed;
  }

  /** Creates the client. Opens no connection yet. */
  static async open(settings: SearchEngineSettings): Promise<SearchEngine> {
    const { url, useCompression = false, connections, answerTimeout, retry } = settings;
    const authorization = authorizationOf(settings);
    const client = await HttpClient.open({
      acceptCompressed: useCompression,
      tls: tlsOf(settings),
      ...(connections === undefined ? {} : { connections }),
      ...(answerTimeout === undefined ? {} : { answerTimeout }),
      ...(retry === undefined ? {} : { retry }),
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
    return new SearchEngine(client, baseUrls(url), useCompression);
  }

  /** The URLs of the cluster, for messages. */
  get address(): string {
    return this.#nodes.map(safeUrl).join(', ');
  }

  /** Sends a request and returns the response with any status. */
  async request({ path, body, contentType, ...request }: SearchEngineRequest): Promise<HttpResponse> {
    const nodes = this.#nodes;
    const preferred = this.#preferred;
    const order = [...nodes.slice(preferred), ...nodes.slice(0, preferred)];
    let response: HttpResponse;
    try {
      response = await this.#client.request({
        ...request,
        url: order.map((node) => `${node}${path}`),
        ...(body === undefined
          ? {}
          : { body, gzip: this.#compressed, headers: { 'content-type': contentType ?? 'application/json' } }),
      });
    } catch (error) {
      // Some callers retry themselves: their next attempt uses the next node.
      this.#preferred = (preferred + 1) % nodes.length;
      throw error;
    }
    const answered = nodes.findIndex((node) => response.url === `${node}${path}`);
    this.#preferred = isTransient(response.status) ? (answered + 1) % nodes.length : answered;
    return response;
  }

  /**
   * Checks that the cluster is reachable. Throws the `HttpError` of the request without a response or with an error
   * status.
   * @param retry replaces the retry policy of the client
   */
  async ping(retry?: RetryPolicy): Promise<void> {
    requireSuccess(await this.request({ method: 'HEAD', path: '/', ...(retry === undefined ? {} : { retry }) }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
