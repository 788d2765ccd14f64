import { counted } from '@headrace/engine';
import type { DeliveryFailure, Reply } from '../delivery/delivery.ts';
import { NO_ANSWER } from '../delivery/retries.ts';
import { excerpt } from '../http/excerpt.ts';
import { type HttpResponse, headerText } from '../http/http-client.ts';
import { readRetryAfter } from '../http/retry.ts';
import { isFaultOfDestination } from './destination-faults.ts';

/** What of a bulk reply is asked for: the rest is long, and repeats what was sent. */
export const BULK_FILTER = 'filter_path=errors,error,status,items.*.status,items.*.result,items.*.error';

/** How much of an answer that is not the engine's a message shows. */
const MAX_EXCERPT = 200;

export interface ErrorCause {
  readonly type?: string;
  readonly reason?: string;
  readonly caused_by?: ErrorCause;
  /** What it comes down to, where shards have failed. */
  readonly root_cause?: readonly ErrorCause[];
}

interface BulkItem {
  readonly status?: number;
  readonly result?: string;
  readonly error?: ErrorCause | string;
}

/** What a product calls itself in messages; the reference spells one of them in two ways. */
export interface ProductName {
  readonly items: string;
  readonly requests: string;
}

/** What must be known of a bulk request to read its reply. */
export interface BulkRequest {
  /** How many documents it had. */
  readonly count: number;
  /** Whether a conflict of versions means that a newer one is there, which is no failure. */
  readonly newerIsFine: boolean;
  /** Whether documents name their index. */
  readonly namesIndex: boolean;
  readonly name: ProductName;
  /** Called with the number of documents that an ingest pipeline has dropped. */
  readonly onDropped?: (count: number) => void;
}

/** Reads the result of each document of a bulk request. */
export function readBulkReply(
  response: HttpResponse,
  { count, newerIsFine, namesIndex, name, onDropped }: BulkRequest,
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
  for (let i = 0; i < count; i++) {
    // An item that says nothing has no status, which is no success.
    const entry = (items[i] ?? {}) as Record<string, BulkItem | null>;
    let action = '';
    for (const name in entry) action = name;
    const { status = 0, result, error } = entry[action] ?? {};
    // An update that changes nothing says so, too; an indexed document always changes something.
    if (result === 'noop' && action === 'index') dropped++;
    if (error === undefined && ((status >= 200 && status < 300) || (status === 404 && action === 'delete'))) continue;
    if (status === 409 && newerIsFine) continue;
    refusals.set(i, {
      status,
      message: `${name.items} bulk item error (status ${status}): ${reasonOf(error) ?? 'no reason given'}`,
      ...(isFaultOfDestination(error, namesIndex) ? { undelivered: true } : {}),
    });
  }
  if (dropped > 0) onDropped?.(dropped);
  return { items: refusals };
}

/**
 * Reads the replies of requests that differ only in their documents. Most replies are equal, byte for byte: each of so
 * many documents was created. Such a reply is compared with the last one, because parsing takes 40 times as long.
 */
export class BulkReplies {
  readonly #request: Omit<BulkRequest, 'count'>;
  #taken: { readonly status: number; readonly count: number; readonly body: Buffer } | undefined;

  constructor(request: Omit<BulkRequest, 'count'>) {
    this.#request = request;
  }

  /** @param count how many documents the request had */
  read(response: HttpResponse, count: number): Reply {
    const { status, body } = response;
    const taken = this.#taken;
    if (taken?.count === count && taken.status === status && taken.body.equals(body)) return { items: new Map() };
    let dropped = 0;
    const reply = readBulkReply(response, {
      ...this.#request,
      count,
      onDropped: (some) => {
        dropped = some;
        this.#request.onDropped?.(some);
      },
    });
    // A copy, because the body may be part of a larger buffer.
    if ('items' in reply && reply.items.size === 0 && dropped === 0)
      this.#taken = { status, count, body: Buffer.from(body) };
    return reply;
  }
}

/** The refusal of a request that was answered with a status that is no success. */
export function statusRefusal(response: HttpResponse, name: ProductName): DeliveryFailure {
  const { status, headers } = response;
  const answer = parse(response) as { error?: ErrorCause | string } | undefined;
  const reason = reasonOf(answer?.error) ?? excerpt(response.body, MAX_EXCERPT);
  const message = `${name.requests} returned HTTP ${status}${reason === '' ? '' : `: ${reason}`}`;
  const retryAfter = readRetryAfter(headerText(headers, 'retry-after'));
  return { status, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** The refusal of a request that had no answer. */
export function transportRefusal(message: string, name: ProductName): DeliveryFailure {
  return { status: NO_ANSWER, message: `Transport failure communicating with ${name.requests}: ${message}` };
}

/** The refusal of an answer of success that cannot be understood: something between may have made it. */
export function strangeAnswer(response: HttpResponse, name: ProductName, what: string): DeliveryFailure {
  return transportRefusal(
    `it answered ${response.status} with "${excerpt(response.body, MAX_EXCERPT)}", ${what}`,
    name,
  );
}

/** The reason of an error, with those below it that say more. */
export function reasonOf(error: ErrorCause | string | undefined): string | undefined {
  if (error === undefined || typeof error === 'string') return error;
  const reasons: string[] = [];
  const add = ({ reason, type }: ErrorCause) => {
    const text = reason ?? type;
    if (text !== undefined && !reasons.some((known) => known.includes(text))) reasons.push(text);
  };
  for (let cause: ErrorCause | undefined = error; cause !== undefined && cause !== null; cause = cause.caused_by) {
    add(cause);
  }
  for (const cause of error.root_cause ?? []) add(cause);
  return reasons.length === 0 ? undefined : reasons.join(' <- ');
}

/** The answer as JSON; undefined if it is none. */
export function parse({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    // Proxies answer with pages; the caller shows what was said.
    return undefined;
  }
}
