import { NO_ANSWER, type Reply } from 'headrace/delivery';
import { HeadraceError, parseJson } from 'headrace/engine';
import { excerpt, HttpClient, HttpError, type HttpResponse, headerText, NO_RETRY, readRetryAfter } from 'headrace/http';

/** The length of a server's answer in a message. */
const MAX_EXCERPT = 300;

/** Sends requests with JSON to a vector store. */
export class StoreClient {
  readonly #client: HttpClient;
  readonly #store: string;

  private constructor(client: HttpClient, store: string) {
    this.#client = client;
    this.#store = store;
  }

  /** @param store the name of the store in messages */
  static async open(store: string, options: Parameters<typeof HttpClient.open>[0]): Promise<StoreClient> {
    return new StoreClient(await HttpClient.open({ acceptCompressed: false, ...options }), store);
  }

  /** Sends a request that changes something, once. A response or a lost connection becomes a reply. */
  async send(
    method: string,
    url: string,
    body: string | Uint8Array | undefined,
    read: (response: HttpResponse) => Reply = () => ({ items: new Map() }),
  ): Promise<Reply> {
    try {
      const response = await this.#client.request({ method, url, retry: NO_RETRY, ...contentOf(body) });
      const { status } = response;
      if (status >= 200 && status < 300) return read(response);
      const retryAfter = readRetryAfter(headerText(response.headers, 'retry-after'));
      const wait = retryAfter === undefined ? {} : { retryAfter };
      return { refused: { status, message: this.#said(response), ...wait } };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const message = `Error communicating with ${this.#store}: ${error.message}`;
      return { refused: { status: NO_ANSWER, message, ...(error.isConnectionFailure ? {} : { retryable: false }) } };
    }
  }

  /** Returns the reply of work that reads and changes. A failure to read becomes a reply. */
  async reply(work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) return { refused: { status: error.status, message: error.message } };
      if (!(error instanceof HttpError)) throw error;
      return { refused: { status: NO_ANSWER, message: `Error communicating with ${this.#store}: ${error.message}` } };
    }
  }

  /**
   * Sends a request that only reads, and returns the JSON of its response. Throws for an error status.
   * @param query the body of a POST request
   */
  async read(url: string, signal?: AbortSignal, query?: string): Promise<unknown> {
    const post = query === undefined ? {} : { method: 'POST', ...contentOf(query) };
    const response = await this.#client.request({ url, ...post, ...(signal === undefined ? {} : { signal }) });
    if (response.status >= 200 && response.status < 300) return parseJson(response.body.toString());
    throw new StoreError(response.status, this.#said(response));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #said({ status, body }: HttpResponse): string {
    const said = excerpt(body, MAX_EXCERPT);
    return `${this.#store} returned HTTP ${status}${said === '' ? '' : `: ${said}`}`;
  }
}

/** An error status of a store. The engine connects again after a temporary one. */
export class StoreError extends HeadraceError {
  readonly status: number;

  constructor(status: number, message: string, options: { readonly hint?: string } = {}) {
    super('HR_INDEXER_CONNECT', message, options);
    this.status = status;
  }
}

function contentOf(body: string | Uint8Array | undefined) {
  return body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
}
