import { validateHeaderValue } from 'node:http';
import {
  BatchLoader,
  CONNECTS,
  type Document,
  nearest,
  type ParameterProblem,
  parseJson,
  Stage,
  type Static,
  Type,
  textOf,
  toValue,
  type Value,
} from '@headrace/engine';
import { isBlank } from '@headrace/languages/java/text';
import { cachedVector } from '../caches/cached-vector.ts';
import type { GuardedCache } from '../caches/guarded-cache.ts';
import { CacheParameter, checkCache, openCache } from '../caches/open-cache.ts';
import { checkDestination } from '../fields/destination.ts';
import { HttpClient, requireSuccess } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { NO_RETRY, type RetryPolicy } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { waitLog } from '../http/wait-log.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { isAccountRefusal, isLengthRefusal } from '../text/openai-refusals.ts';
import { cutToTokens } from '../text/openai-tokens.ts';

const parameters = Type.Object({
  /** The field with the text, in the document and in its children. If it is a list, its first value is used. */
  source: Type.String(),
  /** Whether the document itself is embedded. */
  embedDocument: Type.Boolean(),
  /** Whether its attached children are embedded. One of the two must be true. */
  embedChildren: Type.Boolean(),
  /** The key for OpenAI. Write ${OPENAI_API_KEY} to read it from the environment. Your server may accept any key. */
  apiKey: Type.String(),
  /** The field for the vector. */
  dest: Type.String({ default: 'embeddings' }),
  /**
   * The model: text-embedding-3-small, text-embedding-3-large or text-embedding-ada-002, in upper or lower case, or a
   * model of the server at baseUrl.
   */
  modelName: Type.String({ default: 'text-embedding-3-small' }),
  /** The length of the vectors, for models that can shorten them. Defaults to the length of the model. */
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  /**
   * The maximum number of tokens of a text, as OpenAI counts them. A longer text is cut before it is sent, which is a
   * notice. Set it for a model with a shorter context.
   */
  maxTokens: Type.Integer({ default: 8191, minimum: 1 }),
  /** The address of the API. Defaults to OPENAI_BASE_URL of the environment, otherwise https://api.openai.com/v1. */
  baseUrl: Type.Optional(Type.String(CONNECTS)),
  /**
   * Keeps vectors between runs, by model and text, so that a text is sent once: path (a SQLite file) or connectionString
   * and table (Postgres, Redis), maxMegabytes and maxAgeDays. Defaults to none.
   */
  cache: Type.Optional(CacheParameter),
});

const MODELS = ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'];
const OPENAI = 'https://api.openai.com/v1';
const IN_FLIGHT = 256;
/** The maximum number of texts in one request. */
const BATCH = 128;
/**
 * The maximum number of characters in one request. OpenAI accepts 300,000 tokens, and a character is rarely more than
 * one.
 */
const BATCH_CHARACTERS = 200_000;

/** Retries server errors and rate limits as the official clients do, for about half a minute in total. */
const RETRY: RetryPolicy = {
  retries: 6,
  initialDelay: 500,
  maxDelay: 20_000,
  statuses: (status) => status === 408 || status === 409 || status === 429 || status >= 500,
  // A limit of tokens per minute can need more than a minute. A longer wait means that a quota is used up.
  longestWait: 10 * 60_000,
  isFinal: (status, body) => isAccountRefusal(status, body.toString()) || isLengthRefusal(status, body.toString()),
};

/**
 * For the parts of a request that failed with a server error after all retries. The server answered other requests, so
 * the error is probably about a text.
 */
const RETRY_PART: RetryPolicy = { ...RETRY, retries: 2 };

/** The time without requests after the account was refused, in milliseconds. */
const REFUSED_MS = 60_000;

/**
 * Adds the embedding of a text: a vector of numbers that represents its meaning. A model of OpenAI makes it, or a
 * server with the same protocol.
 *
 * The document, its attached children (such as those of ChunkText), or both are embedded. A document or child without a
 * text in the source field does not change. Texts longer than maxTokens are cut. The vector is a list of numbers. It
 * replaces the previous value of the destination.
 *
 * Texts of documents that are processed together share requests, up to 128 texts in one. Requests that fail because of
 * the rate limit or temporarily are tried again for about half a minute, or when the server says (Retry-After, up to ten
 * minutes). Then their documents fail. A text that the server refuses fails only its document: a request with several
 * texts that fails with 400, 413, 422 or a server error is sent again in halves. Waits of more than ten seconds are
 * logged.
 *
 * An answer that the key is wrong, or that the quota is used up, is not tried again. For a minute, documents then fail
 * without a request.
 *
 * baseUrl names another server: http://localhost:11434/v1 is Ollama. Without it, the variable OPENAI_BASE_URL of the
 * environment names it, as in the official clients. Any name of a model is then allowed.
 */
export class OpenAIEmbed extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Short vectors of titles',
      needs: 'An account of OpenAI',
      params: { source: 'title', embedDocument: true, embedChildren: false, apiKey: 'sk-...', dimensions: 4 },
      documents: [{ id: '1', title: 'By the sea' }],
      output: [{ id: '1', title: 'By the sea', embeddings: [0.5137, -0.2421, 0.7012, -0.4316] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (!params.embedDocument && !params.embedChildren) {
      yield { parameter: 'embedDocument', message: 'At least one of embedDocument and embedChildren must be true' };
    }
    if (isBlank(params.apiKey)) yield { parameter: 'apiKey', message: 'apiKey must not be blank' };
    else if (!isHeaderValue(params.apiKey)) {
      yield { parameter: 'apiKey', message: 'apiKey has characters that no key has, such as a line break' };
    }
    yield* checkDestination('dest', params.dest);
    yield* checkCache(params.cache);
    const { baseUrl } = params;
    if (baseUrl !== undefined && !isWebUrl(baseUrl)) {
      const hint = 'For example http://localhost:11434/v1.';
      yield { parameter: 'baseUrl', message: 'baseUrl must be an http or https URL', hint };
    }
    const model = params.modelName;
    if (baseUrl === undefined && !MODELS.includes(model.toLowerCase())) {
      const best = nearest(model.toLowerCase(), MODELS);
      yield {
        parameter: 'modelName',
        severity: 'warning',
        message: `modelName ${model} is not a model of OpenAI: ${MODELS.join(', ')}`,
        hint:
          best === undefined
            ? 'Use a model of the server in OPENAI_BASE_URL, or set baseUrl.'
            : `Did you mean ${best}?`,
      };
    }
  }

  override readonly maxInFlight = IN_FLIGHT;
  #client: HttpClient | undefined;
  #cache: GuardedCache | undefined;
  #url = '';
  readonly #model = modelNamed(this.params.modelName);
  readonly #embeddings = new BatchLoader<string, Float32Array>({
    maxItems: BATCH,
    maxWeight: BATCH_CHARACTERS,
    weigh: (text) => text.length,
    load: (texts, isPart) => this.#embed(texts, isPart),
    mayBeOneItem: (error) => error instanceof HttpError && mayBeAboutText(error.status ?? 0),
  });
  /** The last answer that refused the account, and until when it counts. */
  #refusal: { readonly message: string; readonly until: number } | undefined;

  override async checkAccess(_report: unknown, signal: AbortSignal): Promise<void> {
    const base = baseUrlOf(this.params);
    const client = await this.#open(NO_RETRY);
    try {
      // Listing the models tests the key and is free of charge.
      requireSuccess(await client.request({ url: `${base}/models`, signal }));
    } finally {
      await client.close();
    }
  }

  override async start(): Promise<void> {
    this.#url = `${baseUrlOf(this.params)}/embeddings`;
    this.#client = await this.#open(RETRY);
    this.#cache = await openCache(this.params.cache, this.context);
  }

  override process(document: Document): Promise<void> | undefined {
    const { source, embedDocument, embedChildren } = this.params;
    const own = embedDocument ? textToEmbed(document.first(source)) : undefined;
    const children = embedChildren ? document.values('___children') : [];
    const texts = children.map((child) => (child instanceof Map ? textToEmbed(first(child.get(source))) : undefined));
    if (own === undefined && texts.every((text) => text === undefined)) return undefined;
    if (own !== undefined) this.#reportList(document, document.get(source));
    for (const [i, child] of children.entries()) {
      if (texts[i] !== undefined) this.#reportList(document, (child as Map<string, Value>).get(source));
    }
    return this.#addVectors(document, own, children, texts);
  }

  override async stop(): Promise<void> {
    await this.#client?.close();
    await this.#cache?.close();
  }

  /** Reports a list of which only the first value is embedded. */
  #reportList(document: Document, value: Value | undefined): void {
    if (!Array.isArray(value) || value.length < 2) return;
    const hint = `The field has ${value.length} values, and the vector represents the first one.`;
    this.context.notices.report('embedding.cut', { document: document.id, field: this.params.source, hint });
  }

  /** @param texts the texts of the children; undefined for children that do not change */
  async #addVectors(
    document: Document,
    own: string | undefined,
    children: readonly Value[],
    texts: readonly (string | undefined)[],
  ): Promise<void> {
    const dest = this.params.dest;
    const [vector, ...vectors] = await Promise.all([own, ...texts].map((text) => this.#vector(text, document.id)));
    if (vector !== undefined) document.set(dest, vector);
    if (vectors.every((one) => one === undefined)) return;
    const embedded = children.map((child, i) => {
      const one = vectors[i];
      return one === undefined ? child : new Map(child as Map<string, Value>).set(dest, one);
    });
    document.put('___children', embedded);
  }

  async #vector(text: string | undefined, document: string): Promise<Value | undefined> {
    if (text === undefined) return undefined;
    const { maxTokens, source } = this.params;
    const cut = await cutToTokens(text, maxTokens);
    if (cut.length < text.length) {
      const hint = `The vector represents the first ${cut.length} of ${text.length} characters (maxTokens: ${maxTokens}).`;
      this.context.notices.report('embedding.cut', { document, field: source, hint });
    }
    const model = JSON.stringify([this.#url, this.#model, this.params.dimensions]);
    return toValue(await cachedVector(this.#cache, model, cut, () => this.#embeddings.load(cut)));
  }

  #open(retry: RetryPolicy): Promise<HttpClient> {
    return HttpClient.open({
      answerTimeout: 120_000,
      headers: { authorization: `Bearer ${this.params.apiKey.trim()}`, 'content-type': 'application/json' },
      retry,
      onWait: waitLog(this.context.log),
    });
  }

  async #embed(texts: readonly string[], isPart: boolean): Promise<Float32Array[]> {
    if (this.#refusal !== undefined && Date.now() < this.#refusal.until) throw new Error(this.#refusal.message);
    try {
      return await this.#request(texts, isPart ? RETRY_PART : RETRY);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      if (isAccountRefusal(error.status ?? 0, error.message)) this.#refused(error);
      else if (!isPart && texts.length > 1 && isServerError(error)) await this.#probe(texts, error);
      throw error;
    }
  }

  /** Fails the next documents without a request: a retry for each of them could take hours. */
  #refused({ message }: HttpError): void {
    this.#refusal = { message, until: Date.now() + REFUSED_MS };
    this.context.log.error(`The documents of the next minute fail without a request: ${message}`);
  }

  /**
   * Sends the shortest text alone, after a server error for several texts. If that fails too, the server is broken, not
   * a text, and a request for each half would only add to its load.
   */
  async #probe(texts: readonly string[], failed: HttpError): Promise<void> {
    if (isLengthRefusal(failed.status ?? 0, failed.message)) return;
    const shortest = texts.reduce((short, text) => (text.length < short.length ? text : short));
    try {
      await this.#request([shortest], RETRY_PART);
    } catch (error) {
      if (error instanceof HttpError && !isServerError(error)) return;
      throw new Error(failed.message, { cause: failed });
    }
  }

  async #request(texts: readonly string[], retry: RetryPolicy): Promise<Float32Array[]> {
    const { dimensions } = this.params;
    const response = await (this.#client as HttpClient).request({
      method: 'POST',
      url: this.#url,
      retry,
      body: JSON.stringify({
        model: this.#model,
        input: texts,
        // Base64 needs half the bytes and is much faster to read than decimal numbers.
        encoding_format: 'base64',
        ...(dimensions === undefined ? {} : { dimensions }),
      }),
    });
    return readVectors(requireSuccess(response).body.toString(), texts.length, this.#url);
  }
}

/** Returns whether a request may have failed because of one of its texts. */
function mayBeAboutText(status: number): boolean {
  return status === 400 || status === 413 || status === 422 || status >= 500;
}

function isServerError({ status = 0 }: HttpError): boolean {
  return status >= 500;
}

/** Returns the vectors of an answer, in the order of the texts. */
function readVectors(body: string, count: number, url: string): Float32Array[] {
  const from = `The answer of ${safeUrl(url)}`;
  let data: unknown;
  try {
    data = (parseJson(body) as { data?: unknown } | null)?.data;
  } catch (error) {
    throw new Error(`${from} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(data) || data.length !== count) {
    throw new Error(`${from} has ${Array.isArray(data) ? data.length : 'no'} embeddings for ${count} texts`);
  }
  const vectors = new Map<unknown, Float32Array>();
  for (const [i, item] of (data as { index?: unknown; embedding?: unknown }[]).entries()) {
    const vector = readVector(item?.embedding);
    if (vector === undefined) throw new Error(`${from} has an embedding that is not a list of numbers`);
    vectors.set(item.index ?? i, vector);
  }
  return Array.from({ length: count }, (_, i) => {
    const vector = vectors.get(i);
    if (vector === undefined) throw new Error(`${from} does not have an embedding for each text`);
    return vector;
  });
}

/**
 * Reads a vector: 32-bit little-endian floats in base64, or a list of numbers from servers without base64.
 * Returns undefined for any other value.
 */
function readVector(embedding: unknown): Float32Array | undefined {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
    return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  return embedding.every((number) => typeof number === 'number') ? Float32Array.from(embedding) : undefined;
}

function modelNamed(name: string): string {
  const known = name.toLowerCase();
  return MODELS.includes(known) ? known : name;
}

function first(value: Value | undefined): Value | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function textToEmbed(value: Value | undefined): string | undefined {
  const text = value === undefined ? null : textOf(value);
  return text === null || isBlank(text) ? undefined : text;
}

function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('authorization', text.trim());
    return true;
  } catch {
    return false;
  }
}

/** Returns the address of the API. */
function baseUrlOf({ baseUrl }: Static<typeof parameters>): string {
  if (baseUrl !== undefined) return withoutEndSlashes(baseUrl.trim());
  const base = process.env.OPENAI_BASE_URL?.trim() || OPENAI;
  if (isWebUrl(base)) return withoutEndSlashes(base);
  throw new Error(`OPENAI_BASE_URL must be an http or https URL, not ${safeUrl(base)}`);
}

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '');
}
