import { counted, type DeliveryFailure, NO_ANSWER, parseJson, type Reply } from '@headrace/engine';
import { excerpt } from '../http/excerpt.ts';
import { type HttpResponse, headerText } from '../http/http-client.ts';
import { readRetryAfter } from '../http/retry.ts';
import { type ErrorCause, isFaultOfDestination, reasonOf } from '../reindexing/error-cause.ts';

/** Requests only these parts of a bulk response: the other parts are long and repeat the request. */
export const BULK_FILTER = 'filter_path=errors,error,status,items.*.status,items.*.result,items.*.error';

/** The maximum length of a foreign response in a message. */
const MAX_EXCERPT = 200;

interface BulkItem {
  readonly status?: number;
  readonly result?: string;
  readonly error?: ErrorCause | string;
}

/** The name of a product in messages; the reference spells one name in two ways. */
export interface ProductName {
  readonly items: string;
  readonly requests: string;
}

/** The facts about a bulk request that are needed to read its response. */
export interface BulkRequest {
  /** The number of documents in the request. */
  readonly count: number;
  /** Whether a version conflict means that a newer version exists, which is not a failure. */
  readonly newerIsFine: boolean;
  /** True if each document has its own index name. */
  readonly namesIndex: boolean;
  readonly name: ProductName;
  /** Called with the number of documents that an ingest pipeline has dropped. */
  readonly onDropped?: (count: number) => void;
  /** Whether an earlier request without an answer may have written the document with this number. Defaults to never. */
  readonly isUnsure?: ((i: number) => boolean) | undefined;
  /**
   * Called with the number of documents that a data stream already has, and that no earlier request may have written. Only
   * data streams are written with `create`.
   */
  readonly onExisting?: (count: number) => void;
  /** Called with the number of documents that count as success, although the index has not written them. */
  readonly onNotWritten?: (count: number) => void;
}

/** Reads the result of each document of a bulk request. */
export function readBulkReply(
  response: HttpResponse,
  { count, newerIsFine, namesIndex, name, isUnsure, onDropped, onExisting, onNotWritten }: BulkRequest,
): Reply {
  if (response.status < 200 || response.status >= 300) return { refused: statusRefusal(response, name) };
  const answer = parse(response);
  const items = (answer as { items?: unknown } | undefined)?.items;
  if (!Array.isArray(items) || items.length !== count) {
    return {
      refused: strangeAnswer(response, name, `which does not say what happened to ${counted(count, 'document')}`),
    };
  }
  const refusals = new Map<number, DeliveryFailure>();
  let dropped = 0;
  let newer = 0;
  let existing = 0;
  for (let i = 0; i < count; i++) {
    // An item without a status is a failure.
    const entry = (items[i] ?? {}) as Record<string, BulkItem | null>;
    let action = '';
    for (const name in entry) action = name;
    const { status = 0, result, error } = entry[action] ?? {};
    // An update without a change also has this result. The other actions always change the document.
    if (result === 'noop' && action !== 'update') dropped++;
    if (error === undefined && ((status >= 200 && status < 300) || (status === 404 && action === 'delete'))) continue;
    if (status === 409 && newerIsFine) {
      newer++;
      continue;
    }
    if (status === 409 && action === 'create') {
      if (isUnsure?.(i) !== true) existing++;
      continue;
    }
    const reason = reasonOf(error) ?? 'no reason given';
    refusals.set(i, {
      status,
      message: `${name.items} bulk item error (status ${status}): ${reason}${action === 'create' ? hintFor(reason) : ''}`,
      ...(isFaultOfDestination(error, namesIndex) ? { undelivered: true } : {}),
    });
  }
  if (dropped > 0) onDropped?.(dropped);
  if (existing > 0) onExisting?.(existing);
  const notWritten = dropped + newer + existing;
  if (notWritten > 0) onNotWritten?.(notWritten);
  return { items: refusals };
}

/** Returns what to do about the refusal of a document by a data stream. */
function hintFor(reason: string): string {
  if (!/timestamp field/.test(reason)) return '';
  return '. Each document of a data stream needs one time in the field @timestamp: set it in the pipeline, with RenameFields, ParseDate or Timestamp (the current time)';
}

/**
 * Reads the replies of requests that differ only in their documents. Most replies say only that all documents were
 * created, and equal the previous reply byte for byte. The bytes are compared, because parsing takes 40 times as long.
 */
export class BulkReplies {
  readonly #request: Omit<BulkRequest, 'count' | 'isUnsure'>;
  #taken: { readonly status: number; readonly count: number; readonly body: Buffer } | undefined;

  constructor(request: Omit<BulkRequest, 'count' | 'isUnsure'>) {
    this.#request = request;
  }

  /**
   * @param count the number of documents in the request
   * @param isUnsure see `BulkRequest`
   */
  read(response: HttpResponse, count: number, isUnsure?: (i: number) => boolean): Reply {
    const { status, body } = response;
    const taken = this.#taken;
    if (taken?.count === count && taken.status === status && taken.body.equals(body)) return { items: new Map() };
    let notWritten = 0;
    const reply = readBulkReply(response, {
      ...this.#request,
      count,
      isUnsure,
      onNotWritten: (some) => {
        notWritten = some;
        this.#request.onNotWritten?.(some);
      },
    });
    // A copy, because the body may be part of a larger buffer.
    if ('items' in reply && reply.items.size === 0 && notWritten === 0)
      this.#taken = { status, count, body: Buffer.from(body) };
    return reply;
  }
}

/** Returns the refusal of a request whose response has an error status. */
export function statusRefusal(response: HttpResponse, name: ProductName): DeliveryFailure {
  const { status, headers } = response;
  const answer = parse(response) as { error?: ErrorCause | string } | undefined;
  const reason = reasonOf(answer?.error) ?? excerpt(response.body, MAX_EXCERPT);
  const message = `${name.requests} returned HTTP ${status}${reason === '' ? '' : `: ${reason}`}`;
  const retryAfter = readRetryAfter(headerText(headers, 'retry-after'));
  return { status, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Returns the failure of a request without a response. */
export function transportRefusal(message: string, name: ProductName): DeliveryFailure {
  return { status: NO_ANSWER, message: `Transport failure communicating with ${name.requests}: ${message}` };
}

/** Returns the failure of a successful response that cannot be parsed, for example a page of a proxy. */
export function strangeAnswer(response: HttpResponse, name: ProductName, what: string): DeliveryFailure {
  return transportRefusal(
    `it answered ${response.status} with "${excerpt(response.body, MAX_EXCERPT)}", ${what}`,
    name,
  );
}

/** Parses the response as JSON; undefined if it is not JSON. */
export function parse({ body }: HttpResponse): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    // Proxies may answer with HTML pages; the caller shows an excerpt.
    return undefined;
  }
}
