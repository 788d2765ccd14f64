import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  capped,
  clamped,
  type Document,
  HeadraceError,
  MAX_MILLIS,
  MapOf,
  type MemoryHold,
  memoryOf,
  messageOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { javaTrim } from '@headrace/languages/java/text';
import { javaHttpException, javaUrlProblem } from '@headrace/languages/java/url';
import { type FetchedResponse, fetchCached } from '../caches/fetch-cached.ts';
import type { GuardedCache } from '../caches/guarded-cache.ts';
import { CacheParameter, checkCache, openCache } from '../caches/open-cache.ts';
import { checkDestination } from '../fields/destination.ts';
import type { BodyLimit } from '../http/answer-body.ts';
import { HttpClient, type HttpResponse, headerText } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { getFollowing } from '../http/redirects.ts';
import type { RetryPolicy } from '../http/retry.ts';
import { isTextAnswer, unpackedBody } from '../http/unpacked-body.ts';
import { MAX_CONTENT_BYTES } from '../storage/read-whole.ts';

/** The limits of a time-out. 0 means no limit, and a negative time counts as 0. */
const TIMEOUT = {
  ...clamped({ minimum: 0, maximum: MAX_MILLIS }),
  ...capped('maxWaitSecs', { scale: 1000, unlimitedUpTo: 0 }),
};
const MILLIS = { ...clamped({ minimum: 0, maximum: MAX_MILLIS }), ...capped('maxWaitSecs', { scale: 1000 }) };

const parameters = Type.Object({
  /**
   * The field with the http or https URL. Blanks and similar characters in it must be percent-encoded. Letters of
   * other scripts need no encoding.
   */
  source: Type.String(),
  /** The field for the content. The previous value is replaced. */
  dest: Type.String(),
  /** The suffix of the field for the status: source_suffix. */
  statusSuffix: Type.String({ default: 'status_code' }),
  /** The suffix of the field for the number of bytes that were kept: source_suffix. */
  sizeSuffix: Type.String({ default: 'size' }),
  /** The suffix of the field for the failure: source_suffix. */
  errorSuffix: Type.String({ default: 'error' }),
  /** How many uncompressed bytes are kept. The rest is not downloaded. A negative number means no limit. */
  maxSize: Type.Integer({ default: 2_147_483_647 }),
  /** How often a URL is tried again without an answer, or after a status of statusCodeRetryList. */
  maxRetries: Type.Integer({ default: 0, ...clamped({ minimum: 0 }), ...capped('maxRetries') }),
  /**
   * Milliseconds before the first of these attempts. Each further wait is twice as long. The actual wait is up to half
   * shorter, at random, or as long as the server asks (Retry-After).
   */
  initialExpiryMs: Type.Integer({ default: 100, ...MILLIS }),
  /** The longest wait between two attempts, in milliseconds. */
  maxExpiryMs: Type.Integer({ default: 10_000, ...MILLIS }),
  /** Accepted, without effect: a document never waits for the connection of another document. */
  connectionRequestTimeout: Type.Integer({ default: 60_000, noEffect: true }),
  /** The maximum time to connect, in milliseconds. 0 means no limit. */
  connectTimeout: Type.Integer({ default: 60_000, ...TIMEOUT }),
  /** The maximum time without data from the server, before and during its answer, in milliseconds. 0 means no limit. */
  socketTimeout: Type.Integer({ default: 60_000, ...TIMEOUT }),
  /**
   * The statuses to try again: "429", "50x" for 500 to 509, "5xx" for 500 to 599. If the last attempt still returns
   * such a status, the document gets the failure. With "30x" and similar, redirects are not followed.
   */
  statusCodeRetryList: Type.Array(Type.String(), { default: [] }),
  /** Headers to send. They replace the default headers. */
  headers: Type.Optional(MapOf(Type.Unknown())),
  /**
   * Keeps answers between runs by the caching rules of HTTP (max-age, Expires, ETag, Last-Modified, no-store): path (a
   * SQLite file) or connectionString and table (Postgres, Redis), maxMegabytes and maxAgeDays. Defaults to none.
   */
  cache: Type.Optional(CacheParameter),
});

/** The maximum number of requests at the same time, and of connections to one server. */
const IN_FLIGHT = 128;
const MAX_REDIRECTS = 50;

/**
 * Fetches the URL in a field and writes the content to another field, as bytes (in JSON they are base64 text).
 *
 * The document also gets the status and the number of bytes, in fields that are named after the field with the URL: for
 * the source "url" they are url_status_code and url_size. Every answer counts, including a 404. A condition on the
 * status can select the documents for later stages. An answer without content makes empty bytes.
 *
 * Without an answer, the document gets url_error and continues. The text begins with the kind of failure:
 * "java.net.MalformedURLException no protocol: abc", "java.net.UnknownHostException ...",
 * "java.net.SocketTimeoutException Read timed out", "org.apache.http.conn.HttpHostConnectException Connect to ...
 * failed: Connection refused", "java.io.IOException Retry request to ..." for a status of the retry list that stayed.
 *
 * A document without the field, or with null or an empty text in it, does not change. If the field is a list, its first
 * value is fetched. Up to 50 redirects are followed. Compressed answers are decompressed, and so are compressed text files,
 * such as sitemap.xml.gz: gzip, bzip2, xz and zstd. Cookies are not kept. A user
 * and password in the URL are sent as basic authentication. Proxies are read from HTTP_PROXY, HTTPS_PROXY and NO_PROXY
 * of the environment. 128 documents are fetched at a time, connections are reused, and documents keep their order.
 * Answers of more than 256 MiB are errors unless maxSize cuts them. Large answers wait for memory, and an answer that
 * needs more than a document may have fails the document (HR_MEMORY_LIMIT).
 *
 * With cache, an answer with status 200 is not fetched again while it is fresh. After that, the server is asked whether
 * it has changed, and a 304 counts as the stored answer. Answers after redirects are not stored.
 */
export class FetchUri extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Fetch pages, with retries when the server is overloaded',
      needs: 'A server at http://localhost:8080',
      params: { source: 'url', dest: 'page', maxRetries: 3, statusCodeRetryList: ['429', '5xx'] },
      documents: [
        { id: '1', url: 'http://localhost:8080/hello.txt' },
        { id: '2', url: 'hello.txt' },
      ],
      output: [
        { id: '1', url: 'http://localhost:8080/hello.txt', page: 'aGVsbG8=', url_status_code: 200, url_size: 5 },
        { id: '2', url: 'hello.txt', url_error: 'java.net.MalformedURLException no protocol: hello.txt' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('dest', params.dest);
    yield* checkCache(params.cache);
    for (const suffix of ['statusSuffix', 'sizeSuffix', 'errorSuffix'] as const) {
      yield* checkDestination(suffix, `${params.source}_${params[suffix]}`);
    }
    for (const [i, entry] of params.statusCodeRetryList.entries()) {
      const message = retryEntryProblem(entry);
      if (message === undefined) continue;
      yield { parameter: `statusCodeRetryList[${i}]`, ...message };
    }
    for (const [name, value] of params.headers ?? []) {
      if (params.cache !== undefined && /^(range|if-.*)$/i.test(name)) {
        yield { parameter: ['headers', name], message: `headers.${name} cannot be combined with cache` };
      }
      try {
        validateHeaderName(name);
        validateHeaderValue(name, headerValue(value));
      } catch (error) {
        yield { parameter: ['headers', name], message: `headers.${name} is not a valid header: ${messageOf(error)}` };
      }
    }
  }

  override readonly maxInFlight = IN_FLIGHT;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isListed: (status: number) => boolean;
  readonly #statusField: string;
  readonly #sizeField: string;
  readonly #errorField: string;
  #client: HttpClient | undefined;
  #cache: GuardedCache | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#headers = Object.fromEntries([...(params.headers ?? [])].map(([name, value]) => [name, headerValue(value)]));
    this.#isListed = statusFilter(params.statusCodeRetryList);
    this.#statusField = `${params.source}_${params.statusSuffix}`;
    this.#sizeField = `${params.source}_${params.sizeSuffix}`;
    this.#errorField = `${params.source}_${params.errorSuffix}`;
  }

  override async start(): Promise<void> {
    const { maxRetries, initialExpiryMs, maxExpiryMs, connectTimeout, socketTimeout } = this.params;
    const retry: RetryPolicy = {
      retries: Math.max(0, maxRetries),
      initialDelay: Math.max(0, initialExpiryMs),
      maxDelay: Math.max(0, maxExpiryMs),
      statuses: this.#isListed,
    };
    this.#client = await HttpClient.open({
      connections: IN_FLIGHT,
      connectTimeout: Math.max(0, connectTimeout),
      answerTimeout: Math.max(0, socketTimeout),
      idleTimeout: Math.max(0, socketTimeout),
      retry,
    });
    this.#cache = await openCache(this.params.cache, this.context);
  }

  override process(document: Document): Promise<void> | undefined {
    const text = document.text(this.params.source);
    if (text === undefined || text === '') return undefined;
    const problem = javaUrlProblem(text);
    if (problem === undefined) return this.#fetch(document, javaTrim(text));
    document.set(this.#errorField, problem);
    return undefined;
  }

  override async stop(): Promise<void> {
    await this.#client?.close();
    await this.#cache?.close();
  }

  async #fetch(document: Document, url: string): Promise<void> {
    let response: FetchedResponse;
    const memory = memoryOf(document);
    const before = memory.bytes;
    try {
      const variant = [this.#headers, this.params.maxSize];
      const send = (headers: Readonly<Record<string, string>>) => this.#get(url, headers, memory);
      response = await (this.#cache === undefined ? send({}) : fetchCached(this.#cache, { url, variant, send }));
    } catch (error) {
      memory.keep(before);
      if (!(error instanceof HttpError) || error.failure === 'aborted') throw error;
      document.set(this.#errorField, javaHttpException(error));
      return;
    }
    memory.keep(before + response.body.length);
    if (this.#isListed(response.status)) {
      memory.keep(before);
      document.set(this.#errorField, `java.io.IOException Retry request to '${url}'`);
      return;
    }
    // The bytes of the cache are not counted yet.
    await memory.take(before + response.body.length - memory.bytes);
    let body: Uint8Array;
    try {
      body = await this.#contentOf(response, memory);
    } catch (error) {
      memory.keep(before);
      if (error instanceof HttpError) document.set(this.#errorField, javaHttpException(error));
      else if (error instanceof HeadraceError) throw error;
      else document.set(this.#errorField, `java.io.IOException Cannot unpack the content: ${messageOf(error)}`);
      return;
    }
    document.set(this.params.dest, body);
    document.set(this.#statusField, response.status);
    document.set(this.#sizeField, body.length);
  }

  /** Returns the content of an answer. A compressed text file, such as sitemap.xml.gz, is unpacked. */
  async #contentOf({ url, headers, body }: FetchedResponse, memory: MemoryHold): Promise<Uint8Array> {
    if (!isTextAnswer(url, headerText(headers, 'content-type'))) return body;
    const content = await unpackedBody(body, this.#limit, url, memory);
    if (content !== body) memory.keep(memory.bytes - body.length);
    return content;
  }

  get #limit(): BodyLimit {
    const { maxSize } = this.params;
    const isCut = maxSize >= 0 && maxSize <= MAX_CONTENT_BYTES;
    return isCut ? { bytes: maxSize, oversize: 'cut' } : { bytes: MAX_CONTENT_BYTES, oversize: 'fail' };
  }

  #get(url: string, more: Readonly<Record<string, string>>, memory: MemoryHold): Promise<HttpResponse> {
    const { bytes: maxBodyBytes, oversize } = this.#limit;
    return getFollowing(
      this.#client as HttpClient,
      {
        url,
        headers: { ...this.#headers, ...more },
        maxBodyBytes,
        oversize,
        memory,
      },
      { limit: MAX_REDIRECTS, follow: (status) => !this.#isListed(status) },
    );
  }
}

/** Returns the problem of an entry of the retry list, or undefined if the entry is valid. */
function retryEntryProblem(entry: string): Pick<ParameterProblem, 'message' | 'hint' | 'severity'> | undefined {
  if (/^2(00|0x|xx)$/i.test(entry)) {
    return { message: `"${entry}" would repeat successful requests`, hint: 'Remove it.' };
  }
  if (!isStatusPattern(entry)) {
    return {
      severity: 'warning',
      message: `"${entry}" is not a status and has no effect`,
      hint: 'Write a status such as 429, or x for any digit at its end, such as 50x or 5xx.',
    };
  }
  if (entry.startsWith('2')) return { severity: 'warning', message: `"${entry}" repeats successful requests` };
  return undefined;
}

function isStatusPattern(entry: string): boolean {
  return /^[1-5](xx|\dx|\d\d)$/i.test(entry);
}

function statusFilter(entries: readonly string[]): (status: number) => boolean {
  const patterns = entries.filter(isStatusPattern).map((entry) => entry.toLowerCase().replaceAll('x', ''));
  return (status) => patterns.length > 0 && patterns.some((pattern) => String(status).startsWith(pattern));
}

function headerValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) throw new TypeError('its value must be a text');
  return textOf((value ?? '') as Value) as string;
}
