import { counted, type DeliveryFailure, NO_ANSWER, parseJson, type Reply } from '@headrace/engine';
import { excerpt } from '../http/excerpt.ts';
import { type HttpResponse, headerText } from '../http/http-client.ts';
import { readRetryAfter } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';

/**
 * A document that a server refused, according to its response: `{"errors": [{"index": 0, "status": 400, "message":
 * "…"}]}`.
 */
interface ItemError {
  /** The position of the document in the request, from 0. */
  readonly index: number;
  readonly status: number;
  readonly message?: string;
}

const MAX_EXCERPT = 200;

/** Returns the result of a request whose response applies to all of its documents. */
export function readReply({ status, headers, body }: HttpResponse): Reply {
  if (status >= 200 && status < 300) return { items: new Map() };
  const said = excerpt(body, MAX_EXCERPT);
  const retryAfter = readRetryAfter(headerText(headers, 'retry-after'));
  const location = status >= 300 && status < 400 ? headerText(headers, 'location') : undefined;
  const towards = location === undefined ? '' : ` to ${safeUrl(location)}, which is not followed: set url to it`;
  const message = `The server returned HTTP ${status}${towards}${said === '' ? '' : `: ${said}`}`;
  return { refused: { status, message, ...(retryAfter === undefined ? {} : { retryAfter }) } };
}

/** Returns the results of single documents in a successful response. An empty response contains no errors. */
export function readReplyWithItems(response: HttpResponse, count: number): Reply {
  const whole = readReply(response);
  if ('refused' in whole || response.body.length === 0) return whole;
  const errors = errorsOf(response.body);
  if (errors === undefined || !errors.every((error) => isItemError(error, count))) {
    const said = excerpt(response.body, MAX_EXCERPT);
    const message = `The server returned HTTP ${response.status} with "${said}", which does not say what happened to ${counted(count, 'document')}`;
    return { refused: { status: NO_ANSWER, message } };
  }
  const items = new Map<number, DeliveryFailure>();
  for (const { index, status, message = 'no reason given' } of errors) {
    items.set(index, { status, message: `The server refused the document (status ${status}): ${message}` });
  }
  return { items };
}

function errorsOf(body: Buffer): readonly ItemError[] | undefined {
  try {
    const answer = parseJson(body.toString()) as { errors?: unknown } | null;
    const errors = answer?.errors ?? [];
    return typeof answer === 'object' && answer !== null && Array.isArray(errors) ? errors : undefined;
  } catch {
    // Proxies may answer with HTML pages; the caller shows an excerpt.
    return undefined;
  }
}

function isItemError(error: unknown, count: number): error is ItemError {
  const { index, status, message } = (error ?? {}) as Partial<Record<keyof ItemError, unknown>>;
  if (!Number.isInteger(index) || !Number.isInteger(status)) return false;
  return (index as number) >= 0 && (index as number) < count && (message === undefined || typeof message === 'string');
}
