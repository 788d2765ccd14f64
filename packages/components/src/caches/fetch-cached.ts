import { hash } from 'node:crypto';
import type { GuardedCache } from './guarded-cache.ts';
import { freshUntil, isStorable, type ResponseHeaders, validators } from './http-rules.ts';

/** A complete HTTP response. */
export interface FetchedResponse {
  /** The URL that answered: the last one after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
}

/** The part of a stored response before its body. */
interface StoredHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The time in milliseconds until the response may be used without a request. */
  readonly freshUntil: number;
  /** The number of bytes of the body, so that a damaged entry is not used. */
  readonly bytes: number;
}

/** A request with GET. */
export interface CachedRequest {
  readonly url: string;
  /** Everything else that decides about the response: the headers of the request, and a limit of its size. */
  readonly variant: unknown;
  /** Sends the request with further headers. */
  send(headers: Readonly<Record<string, string>>): Promise<FetchedResponse>;
}

const LF = 10;

/**
 * Fetches a URL by the rules of RFC 9111 for a private cache: a fresh response is not requested again, a stale one is
 * validated with its `ETag` or `Last-Modified`. Only responses with status 200 and without redirects are stored. All
 * headers of the request are part of the key, so each `Vary` holds except `*`.
 */
export async function fetchCached(
  cache: GuardedCache,
  { url, variant, send }: CachedRequest,
  now: () => number = Date.now,
): Promise<FetchedResponse> {
  const key = `response ${hash('sha256', JSON.stringify([url, variant]), 'base64url')}`;
  const stored = readStored(await cache.get(key));
  if (stored !== undefined && now() < stored.head.freshUntil) {
    cache.count(true);
    return { ...stored.head, url, body: stored.body };
  }
  const response = await send(stored === undefined ? {} : validators(stored.head.headers));
  const received = now();
  if (response.status === 304 && stored !== undefined) {
    cache.count(true);
    // The new headers replace the old ones: they say how long the response is fresh again.
    const headers = { ...stored.head.headers, ...response.headers };
    const head = { ...stored.head, headers, freshUntil: freshUntil(headers, received) };
    await cache.put(key, write(head, stored.body));
    return { ...head, url, body: stored.body };
  }
  cache.count(false);
  const { status, headers, body } = response;
  if (response.url === url && isStorable(status, headers, received)) {
    const head = { status, headers, freshUntil: freshUntil(headers, received), bytes: body.length };
    await cache.put(key, write(head, body));
  }
  return response;
}

function write(head: StoredHead, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

function readStored(entry: Uint8Array | undefined): { head: StoredHead; body: Uint8Array } | undefined {
  if (entry === undefined) return undefined;
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.length);
  const end = bytes.indexOf(LF);
  try {
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as StoredHead;
    const body = bytes.subarray(end + 1);
    return end > 0 && head.bytes === body.length ? { head, body } : undefined;
  } catch {
    // A damaged entry counts as missing, and the next response replaces it.
    return undefined;
  }
}
