import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  COERCED,
  CONNECTS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
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
import { ignoredSettings } from './ignored-settings.ts';

const parameters = Type.Object({
  url: Type.String(CONNECTS),
  method: Type.Optional(OneOf(['POST', 'PUT', 'PATCH'], { default: 'POST' })),
  form: Type.Optional(OneOf(['ndjson', 'json-array', 'single'], { default: 'ndjson' })),
  headers: Type.Optional(MapOf(Type.String(), COERCED)),
  itemErrors: Type.Optional(Type.Boolean({ default: false })),
  deleteUrl: Type.Optional(Type.String(CONNECTS)),
  deleteMethod: Type.Optional(OneOf(['DELETE', 'POST', 'PUT', 'PATCH'], { default: 'DELETE' })),
  useCompression: Type.Optional(Type.Boolean({ default: false })),
  userName: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  bearerToken: Type.Optional(Type.String()),
  tls: tlsParameter,
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
});

/** Documents at once, where each has a request of its own. */
const CONNECTIONS = 8;

/**
 * Sends documents to any URL as JSON, a batch with each request or one document with each.
 * <p>
 * <pre>
 * indexer { type: "HTTP", batchSize: 500 }
 * http { url: "https://example.org/articles/bulk", bearerToken: ${API_TOKEN} }
 * </pre>
 * <p>
 * <pre>
 * indexer { type: "HTTP", deletionMarkerField: "deleted", deletionMarkerFieldValue: "true" }
 * http { url: "https://example.org/articles/{id}", method: PUT, form: single, deleteUrl: "https://example.org/articles/{id}" }
 * </pre>
 * <p>
 * All fields are sent, <code>id</code> and <code>run_id</code> included; <code>indexer.whitelist</code> and
 * <code>indexer.blacklist</code> choose others; <code>indexer.idOverrideField</code> names the field with another id.
 * <p>
 * Any status of success (2xx) means that all documents of the request were taken. What the server could not take just
 * now (statuses 429, 502, 503, 504, lost connections) is sent again, up to ten times, which is about three minutes, or when the server says
 * (Retry-After, up to a minute each time): <code>indexer.maxRetries</code> and its neighbours say otherwise. So a server may get a document twice, and
 * should go by its id. A request that is too large (413) is halved; one that is refused because of its content (400, 422) is halved until
 * the document at fault is alone. Each version of a document is sent, one after the other.
 * <p>
 * With <code>itemErrors</code> an answer of success is JSON and tells of the documents that were not taken, by their place in the
 * request, from 0: <code>{"errors": [{"index": 3, "status": 400, "message": "no title"}]}</code>. Those with a status that may pass are
 * sent again, alone; the others fail with the message. An empty answer, or one without errors, means that all were taken.
 * <p>
 * Deleting: with <code>deleteUrl</code> a document whose field <code>indexer.deletionMarkerField</code> holds
 * <code>indexer.deletionMarkerFieldValue</code> is a request to that URL, without a body; 404 and 410 mean that it is done. Without deleteUrl
 * such documents are sent as all others are.
 * <p>
 * At the beginning the root of the server is asked (HEAD); any answer will do. Proxies are taken from HTTP_PROXY,
 * HTTPS_PROXY and NO_PROXY of the environment.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>url (String, Required) : Where documents are sent to. With the form single, <code>{id}</code> in it stands for the id. A user and a password may stand in it.</li>
 *   <li>method (String, Optional) : POST, PUT or PATCH. Defaults to POST.</li>
 *   <li>form (String, Optional) : What a request holds: <code>ndjson</code>, a line of JSON for each document; <code>json-array</code>, a list of them; <code>single</code>, one document, with eight requests at a time. Defaults to ndjson.</li>
 *   <li>headers (Map&lt;String, String&gt;, Optional) : Headers to send, in place of those that are sent anyway.</li>
 *   <li>itemErrors (Boolean, Optional) : Whether answers tell of single documents, as above; not with the form single. Defaults to false.</li>
 *   <li>deleteUrl (String, Optional) : Where a document is deleted; <code>{id}</code> stands for the id.</li>
 *   <li>deleteMethod (String, Optional) : DELETE, POST, PUT or PATCH. Defaults to DELETE.</li>
 *   <li>useCompression (Boolean, Optional) : Whether requests and answers are compressed (gzip). Defaults to false.</li>
 *   <li>userName (String, Optional) : The user, instead of one in the URL; needs password.</li>
 *   <li>password (String, Optional) : The password; best taken from the environment or from a file of its own, see the page on configuration.</li>
 *   <li>bearerToken (String, Optional) : A token, instead of user and password: it is sent as <code>Authorization: Bearer …</code>.</li>
 *   <li>tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
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
    const deletions = this.params.deleteUrl === undefined ? {} : deletionSettings(settings);
    return KeyedEncoder.reference({ ...keyedEncoderOptions(settings), ...deletions });
  }

  override async reach(_report: ReportProblem, signal: AbortSignal): Promise<void> {
    this.#client = await this.#open();
    try {
      await this.#client.request({ method: 'HEAD', url: rootOf(this.params.url), retry: NO_RETRY, signal });
    } finally {
      await this.#client.close();
    }
  }

  override async connect(): Promise<void> {
    const { url, method = 'POST', form = 'ndjson', headers, deleteUrl, deleteMethod = 'DELETE' } = this.params;
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
    // The engine has called `connect`.
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

/** The root of a server; who asks stays in it. */
function rootOf(url: string): string {
  return new URL('/', url).href;
}

function* checkUrls(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
  const { form, itemErrors, deleteUrl } = params;
  for (const parameter of ['url', 'deleteUrl'] as const) {
    const url = params[parameter];
    const protocol = url === undefined ? 'http:' : URL.parse(url)?.protocol;
    if (protocol === 'http:' || protocol === 'https:') continue;
    const hint = 'As https://example.org/articles.';
    yield { parameter, message: `${parameter} must be a URL of http or https`, hint };
  }
  if (params.url.includes(ID_PLACE) && form !== 'single') {
    const hint = 'Set form: single, or remove it.';
    yield { parameter: 'url', message: `url has ${ID_PLACE}, but a request holds many documents`, hint };
  }
  if (deleteUrl?.includes(ID_PLACE) === false) {
    const hint = `As https://example.org/articles/${ID_PLACE}.`;
    yield { parameter: 'deleteUrl', message: `deleteUrl does not say which document: ${ID_PLACE} is missing`, hint };
  }
  if (itemErrors === true && form === 'single') {
    const message = 'itemErrors has no effect with form: single';
    yield {
      parameter: 'itemErrors',
      message,
      hint: 'The status tells what became of the document.',
      severity: 'warning',
    };
  }
  if (deleteUrl !== undefined && settings.deletionMarkerField === undefined) {
    const message = 'deleteUrl has no effect without indexer.deletionMarkerField';
    const hint = 'Name the field that marks a document as a request to delete.';
    yield { parameter: 'deleteUrl', message, hint, severity: 'warning' };
  }
  if (deleteUrl === undefined && settings.deletionMarkerField !== undefined) {
    const message =
      'indexer.deletionMarkerField has no effect without http.deleteUrl: marked documents are sent as all others';
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
      // Its only reason is the value, which may be a secret.
      yield { parameter, message: `The header ${name} has characters that cannot stand in one` };
    }
    if (name.toLowerCase() !== 'authorization') continue;
    if (authorizationOf(params) === undefined && (URL.parse(url)?.username ?? '') === '') continue;
    const message = 'Credentials are given twice, by a header and by another parameter';
    yield { parameter, message, hint: 'Remove one of them.' };
  }
}
