import { HttpClient, type HttpRequest, type HttpResponse, requireSuccess } from '../http/http-client.ts';
import { isTransient, type RetryPolicy } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { authorizationOf, type ServerAccess, tlsOf } from '../http/server-access.ts';
import { baseUrls } from './connection.ts';

export interface SearchEngineSettings extends ServerAccess {
  /** One or several, see `baseUrls`. */
  readonly url: string;
  /** Whether bodies are compressed, both ways. */
  readonly useCompression?: boolean;
  /** Connections to each node, at most. */
  readonly connections?: number;
  /** Milliseconds until an answer begins; see `HttpClientOptions`. */
  readonly answerTimeout?: number;
  readonly retry?: RetryPolicy;
}

export interface SearchEngineRequest extends Pick<HttpRequest, 'method' | 'maxBodyBytes' | 'retry' | 'signal'> {
  /** Below the base URL, with its slash; names in it percent-encoded. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** Defaults to that of JSON. */
  readonly contentType?: string;
}

/**
 * A cluster of OpenSearch or Elasticsearch, over plain HTTP. Of several nodes the one that answered last is asked; when it
 * fails in passing, the next attempt goes to the next.
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

  /** Opens no connection yet. */
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

  /** Where it is, for messages. */
  get address(): string {
    return this.#nodes.map(safeUrl).join(', ');
  }

  /** The answer of whatever status. */
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
      // For callers that try again themselves.
      this.#preferred = (preferred + 1) % nodes.length;
      throw error;
    }
    const answered = nodes.findIndex((node) => response.url === `${node}${path}`);
    this.#preferred = isTransient(response.status) ? (answered + 1) % nodes.length : answered;
    return response;
  }

  /**
   * Whether it is there: throws the `HttpError` of the request when that has no answer, or one that is no success.
   * @param retry instead of the engine's
   */
  async ping(retry?: RetryPolicy): Promise<void> {
    requireSuccess(await this.request({ method: 'HEAD', path: '/', ...(retry === undefined ? {} : { retry }) }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
