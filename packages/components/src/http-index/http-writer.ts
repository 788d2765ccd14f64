import {
  BatchBytes,
  Delivery,
  type DeliveryFailure,
  type Destination,
  type EncodedBatch,
  type IndexFailure,
  NO_ANSWER,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
import type { DocumentKey } from '../delivery/keyed-encoder.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { NO_RETRY } from '../http/retry.ts';
import { readReply, readReplyWithItems } from './item-errors.ts';

/** How documents are sent: as lines of JSON, as a JSON list, or one per request. */
export type HttpForm = 'ndjson' | 'json-array' | 'single';

export interface HttpWriterSettings {
  readonly url: string;
  readonly method: string;
  readonly form: HttpForm;
  /** Replaces the content type of the form. */
  readonly contentType: string | undefined;
  readonly compressed: boolean;
  /** Whether a successful response contains a result for each document. */
  readonly itemErrors: boolean;
  readonly deleteUrl: string | undefined;
  readonly deleteMethod: string;
  readonly retries: Retries;
}

/** The placeholder for the id in a URL. */
export const ID_PLACE = '{id}';

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
const LINE_END = Buffer.from('\n');

/**
 * Sends batches of `KeyedEncoder` to a server: several documents in one request, or one per request. Each delete is a
 * separate request.
 */
export class HttpWriter {
  readonly #client: HttpClient;
  readonly #settings: HttpWriterSettings;
  readonly #together: Delivery;
  readonly #single: Delivery;

  constructor(client: HttpClient, settings: HttpWriterSettings) {
    this.#client = client;
    this.#settings = settings;
    this.#together = new Delivery(settings.retries, new RequestSize());
    this.#single = new Delivery(settings.retries, new RequestSize());
  }

  async write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const bytes = new BatchBytes(batch);
    const keys = Array.from({ length: bytes.count }, (_, i) => bytes.firstJson(i) as DocumentKey);
    const isSingle = (position: number) => this.#settings.form === 'single' || keys[position]?.delete === true;
    const failures: IndexFailure[] = [];
    for (let from = 0, to = 0; from < bytes.count; from = to) {
      while (to < bytes.count && isSingle(to) === isSingle(from)) to++;
      const positions = Array.from({ length: to - from }, (_, i) => from + i);
      const [delivery, request] = isSingle(from)
        ? [this.#single, (some: readonly number[]) => this.#sendEach(some, bytes, keys)]
        : [this.#together, (some: readonly number[]) => this.#sendTogether(some, bytes)];
      const destination: Destination = {
        // We do not know how the server compares versions: each version is sent, in order.
        partial: true,
        key: (position) => (keys[position] as DocumentKey).id,
        length: (position) => bytes.length(position),
        isolates: (status) => status === 400 || status === 422,
        request,
      };
      failures.push(...(await delivery.deliver(positions, destination, signal)));
    }
    return failures;
  }

  #sendTogether(positions: readonly number[], bytes: BatchBytes): Promise<Reply> {
    const { url, method, form, itemErrors } = this.#settings;
    const parts: Uint8Array[] = [];
    for (const position of positions) {
      if (form === 'json-array') parts.push(parts.length === 0 ? OPEN : COMMA, bytes.rest(position));
      else parts.push(bytes.rest(position), LINE_END);
    }
    if (form === 'json-array') parts.push(CLOSE);
    const type = form === 'json-array' ? 'application/json' : 'application/x-ndjson';
    return this.#ask({ ...this.#content(Buffer.concat(parts), type), url, method }, (response) =>
      itemErrors ? readReplyWithItems(response, positions.length) : readReply(response),
    );
  }

  /** Sends each document in a separate request, several concurrently: all of them have different ids. */
  async #sendEach(positions: readonly number[], bytes: BatchBytes, keys: readonly DocumentKey[]): Promise<Reply> {
    const replies = await Promise.all(
      positions.map((position) => this.#sendOne(keys[position] as DocumentKey, bytes.rest(position))),
    );
    const items = new Map<number, DeliveryFailure>();
    for (const [i, reply] of replies.entries()) {
      if ('refused' in reply) items.set(i, this.#judged(reply.refused));
    }
    return { items };
  }

  #sendOne(key: DocumentKey, json: Buffer): Promise<Reply> {
    const { url, method, deleteUrl = '', deleteMethod } = this.#settings;
    const at = (template: string) => template.replaceAll(ID_PLACE, () => encodeURIComponent(key.id));
    if (key.delete !== true) {
      return this.#ask({ ...this.#content(json, 'application/json'), url: at(url), method }, readReply);
    }
    return this.#ask({ url: at(deleteUrl), method: deleteMethod }, (response) =>
      // The document to delete does not exist, so the delete succeeded.
      response.status === 404 || response.status === 410 ? { items: new Map() } : readReply(response),
    );
  }

  /** Decides whether a refused single-document request is the fault of the document or of the destination. */
  #judged(refusal: DeliveryFailure): DeliveryFailure {
    const isMissing = refusal.status === 404 || refusal.status === 410;
    // If the URL contains the id, 404 means this document. Otherwise it means the whole destination.
    return isMissing && this.#settings.url.includes(ID_PLACE) ? refusal : { ...refusal, whole: true };
  }

  #content(body: Buffer, type: string): Pick<HttpRequest, 'body' | 'gzip' | 'headers'> {
    const { compressed, contentType = type } = this.#settings;
    return { body, gzip: compressed, headers: { 'content-type': contentType } };
  }

  async #ask(request: HttpRequest, read: (response: HttpResponse) => Reply): Promise<Reply> {
    try {
      return read(await this.#client.request({ ...request, retry: NO_RETRY }));
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const { message, isConnectionFailure } = error;
      return { refused: { status: NO_ANSWER, message, ...(isConnectionFailure ? {} : { retryable: false }) } };
    }
  }
}
