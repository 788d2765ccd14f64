import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  COERCED,
  CONNECTS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  MapOf,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  type ReportProblem,
  type Static,
  Type,
} from '@headrace/engine';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { KeyedEncoder, keyedEncoderOptions } from '../delivery/keyed-encoder.ts';
import { retriesOf } from '../delivery/retries.ts';
import { HttpClient } from '../http/http-client.ts';
import { NO_RETRY, WRITE_ANSWER_MS } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { authorizationOf, checkServerAccess, tlsOf, tlsParameter } from '../http/server-access.ts';
import { HttpWriter, ID_PLACE } from '../http-index/http-writer.ts';

const parameters = Type.Object({
  /**
   * The URL for documents. With the form single, {id} in it is replaced by the id. It may contain a user and a
   * password.
   */
  url: Type.String(CONNECTS),
  /** POST, PUT or PATCH. */
  method: OneOf(['POST', 'PUT', 'PATCH'], { default: 'POST' }),
  /**
   * The content of a request. ndjson: a line of JSON for each document. json-array: a list of them. single: one
   * document, with eight requests at a time.
   */
  form: OneOf(['ndjson', 'json-array', 'single'], { default: 'ndjson' }),
  /** Headers to send. They replace the default headers. */
  headers: Type.Optional(MapOf(Type.String(), COERCED)),
  /** Whether answers contain errors of single documents, as described above. Not with the form single. */
  itemErrors: Type.Boolean({ default: false }),
  /** The URL for deletes. {id} is replaced by the id. */
  deleteUrl: Type.Optional(Type.String(CONNECTS)),
  /** DELETE, POST, PUT or PATCH. */
  deleteMethod: OneOf(['DELETE', 'POST', 'PUT', 'PATCH'], { default: 'DELETE' }),
  /** Whether requests and answers are compressed (gzip). */
  useCompression: Type.Boolean({ default: false }),
  /** The user, instead of one in the URL. Requires password. */
  userName: Type.Optional(Type.String()),
  /** The password. Read it from the environment or from a separate file: see the page on configuration. */
  password: Type.Optional(Type.String()),
  /** A token, instead of user and password. It is sent as Authorization: Bearer …. */
  bearerToken: Type.Optional(Type.String()),
  /** The certificates for TLS, as PEM files. */
  tls: tlsParameter,
  /** Whether to accept any certificate of the server, for tests only. */
  acceptInvalidCert: Type.Boolean({ default: false }),
});

/** The number of concurrent requests, if each document has a separate request. */
const CONNECTIONS = 8;

/**
 * Sends documents to a URL as JSON, a batch or one document in each request.
 *
 *     indexer { type: "HTTP", batchSize: 500 }
 *     http { url: "https://example.org/articles/bulk", bearerToken: ${API_TOKEN} }
 *
 *     indexer { type: "HTTP", deletionMarkerField: "deleted", deletionMarkerFieldValue: "true" }
 *     http { url: "https://example.org/articles/{id}", method: PUT, form: single, deleteUrl: "https://example.org/articles/{id}" }
 *
 * All fields are sent, including id and run_id. indexer.whitelist and indexer.blacklist select others.
 * indexer.idOverrideField names the field with another id.
 *
 * A success status (2xx) means that all documents of the request were accepted. Requests that failed temporarily
 * (statuses 429, 502, 503, 504, lost connections) are sent again, up to ten times, which takes about three minutes, or
 * when the server says (Retry-After, up to a minute each time). indexer.maxRetries and related settings change this. So
 * a server may get a document twice, and should use its id. A request that is too large (413) is halved. One that is
 * refused because of its content (400, 422) is halved until the bad document is alone. Each version of a document is
 * sent, in order.
 *
 * With itemErrors, a successful answer is JSON and lists the documents that were not accepted, by their position in the
 * request, from 0: {"errors": [{"index": 3, "status": 400, "message": "no title"}]}. Those with a temporary status are
 * sent again alone; the others fail with the message. An empty answer, or one without errors, means that all were
 * accepted.
 *
 * Deleting: with deleteUrl, a document whose field indexer.deletionMarkerField has the value
 * indexer.deletionMarkerFieldValue, or that its connector has marked as a delete, becomes a request to that URL, without
 * a body. 404 and 410 mean success. Without deleteUrl such documents are sent like all others.
 *
 * At the start, the root of the server is requested (HEAD); any answer is accepted. Proxies are read from HTTP_PROXY,
 * HTTPS_PROXY and NO_PROXY of the environment.
 */
export class HttpIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'http';
  static readonly type = 'HTTP';
  static readonly javaClass = null;
  #client: HttpClient | undefined;
  #writer: HttpWriter | undefined;

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    yield* checkUrls(params, settings);
    yield* checkHeaders(params);
    const urls = params.deleteUrl === undefined ? [params.url] : [params.url, params.deleteUrl];
    yield* checkServerAccess('', urls, params);
    for (const name of ['indexOverrideField', 'deleteByFieldField'] as const) {
      if (settings[name] === undefined) continue;
      const message = `Config setting 'indexer.${name}' is not supported by HttpIndexer`;
      yield { block: 'indexer', parameter: name, message, hint: 'Remove it.' };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(settings, ignored, 'HttpIndexer', 'the fields themselves are sent');
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    const deletions = this.params.deleteUrl === undefined ? { deletes: false } : deletionSettings(settings);
    return KeyedEncoder.reference({ ...keyedEncoderOptions(settings), ...deletions });
  }

  override async checkAccess(_report: ReportProblem, signal: AbortSignal): Promise<void> {
    this.#client = await this.#open();
    try {
      await this.#client.request({ method: 'HEAD', url: rootOf(this.params.url), retry: NO_RETRY, signal });
    } finally {
      await this.#client.close();
    }
  }

  override async connect(): Promise<void> {
    const { url, method, form, headers, deleteUrl, deleteMethod } = this.params;
    this.#client = await this.#open();
    try {
      await this.#client.request({ method: 'HEAD', url: rootOf(url), retry: NO_RETRY });
    } catch (error) {
      await this.#client.close();
      throw error;
    }
    this.#writer = new HttpWriter(this.#client, {
      url,
      method,
      form,
      deleteUrl,
      deleteMethod,
      contentType: [...(headers ?? [])].find(([name]) => name.toLowerCase() === 'content-type')?.[1],
      compressed: this.params.useCompression === true,
      itemErrors: this.params.itemErrors === true,
      retries: retriesOf(this.context, safeUrl(url)),
    });
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as HttpWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#client?.close();
  }

  #open(): Promise<HttpClient> {
    const { useCompression, headers } = this.params;
    const authorization = authorizationOf(this.params);
    return HttpClient.open({
      connections: CONNECTIONS,
      answerTimeout: WRITE_ANSWER_MS,
      acceptCompressed: useCompression === true,
      headers: { ...(authorization === undefined ? {} : { authorization }), ...Object.fromEntries(headers ?? []) },
      tls: tlsOf(this.params),
    });
  }
}

/** Returns the root URL of a server, with the user of the URL. */
function rootOf(url: string): string {
  return new URL('/', url).href;
}

function* checkUrls(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
  const { form, itemErrors, deleteUrl } = params;
  for (const parameter of ['url', 'deleteUrl'] as const) {
    const url = params[parameter];
    const protocol = url === undefined ? 'http:' : URL.parse(url)?.protocol;
    if (protocol === 'http:' || protocol === 'https:') continue;
    const hint = 'Write a URL such as https://example.org/articles.';
    yield { parameter, message: `${parameter} must be an http or https URL`, hint };
  }
  if (params.url.includes(ID_PLACE) && form !== 'single') {
    const hint = 'Set form: single, or remove the placeholder.';
    yield { parameter: 'url', message: `url has ${ID_PLACE}, but a request contains many documents`, hint };
  }
  if (deleteUrl?.includes(ID_PLACE) === false) {
    const hint = `Write a URL such as https://example.org/articles/${ID_PLACE}.`;
    yield { parameter: 'deleteUrl', message: `deleteUrl does not name the document: ${ID_PLACE} is missing`, hint };
  }
  if (itemErrors === true && form === 'single') {
    const message = 'itemErrors has no effect with form: single';
    yield {
      parameter: 'itemErrors',
      message,
      hint: 'The status shows the result of the document.',
      severity: 'warning',
    };
  }
  if (deleteUrl === undefined && settings.deletionMarkerField !== undefined) {
    const message =
      'indexer.deletionMarkerField has no effect without http.deleteUrl: marked documents are sent like all others';
    yield { block: 'indexer', parameter: 'deletionMarkerField', message, severity: 'warning' };
  }
}

function* checkHeaders(params: Static<typeof parameters>): Generator<ParameterProblem> {
  const { headers = new Map<string, string>(), url } = params;
  for (const [name, value] of headers) {
    const parameter = ['headers', name];
    try {
      validateHeaderName(name);
    } catch {
      yield { parameter, message: `${name} cannot be the name of a header` };
      continue;
    }
    try {
      validateHeaderValue(name, value);
    } catch {
      // The error contains only the value, which may be a secret.
      yield { parameter, message: `The header ${name} has characters that are not allowed` };
    }
    if (name.toLowerCase() !== 'authorization') continue;
    if (authorizationOf(params) === undefined && (URL.parse(url)?.username ?? '') === '') continue;
    const message = 'Credentials are given twice, by a header and by another parameter';
    yield { parameter, message, hint: 'Remove one of them.' };
  }
}
