import type { CRC32C } from '@google-cloud/storage';
import { HeadraceError, parseJson } from '@headrace/engine';
import { HttpClient, type HttpHeaders, headerText, requireStreamSuccess, requireSuccess } from '../http/http-client.ts';
import { NO_RETRY, type RetryPolicy } from '../http/retry.ts';
import { tlsOf } from '../http/tls/tls-parameter.ts';
import { loadLibrary } from '../libraries/optional-library.ts';
import type { FileUri } from './file-uri.ts';
import { GcsLogin } from './gcs/gcs-login.ts';
import { readRange, resumedReading } from './resumed-reading.ts';
import {
  checkAccessByListing,
  type ListOptions,
  movedKey,
  nanosOf,
  type RangedFile,
  type Storage,
  type StoredFile,
} from './storage.ts';
import type { GcpSettings } from './storage-parameters.ts';

/** The properties of an object in a listing. */
interface ObjectFacts {
  readonly name: string;
  readonly size?: string | number | undefined;
  readonly updated?: string | undefined;
  readonly timeCreated?: string | undefined;
  readonly generation?: string | undefined;
}

interface Page {
  readonly items?: readonly ObjectFacts[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

const FACTS = 'name,size,updated,timeCreated';

/** The same requests as in Google's libraries are retried. */
const RETRY: RetryPolicy = {
  retries: 3,
  initialDelay: 1000,
  maxDelay: 10_000,
  statuses: (status) => status === 408 || status === 429 || status >= 500,
};

/**
 * Reads buckets of Google Cloud Storage through its JSON API. Google's library handles the login and the checksums. It
 * sends no requests, because all its requests in a thread would share one agent with the TLS settings of the first
 * storage.
 */
export class GcsStorage implements Storage {
  readonly #http: HttpClient;
  readonly #login: GcsLogin;
  readonly #sum: () => CRC32C;
  readonly #pageSize: number | undefined;

  private constructor(http: HttpClient, login: GcsLogin, sum: () => CRC32C, pageSize: number | undefined) {
    this.#http = http;
    this.#login = login;
    this.#sum = sum;
    this.#pageSize = pageSize;
  }

  static async open(settings: GcpSettings, once = false): Promise<GcsStorage> {
    const library = await loadLibrary('@google-cloud/storage');
    const login = await GcsLogin.open(library, settings);
    // If we accepted compression, Google would unpack objects that are stored compressed. Ranges would then refer to
    // the unpacked content.
    const options = { tls: tlsOf(settings), retry: once ? NO_RETRY : RETRY, acceptCompressed: false };
    const http = await HttpClient.open(options);
    return new GcsStorage(http, login, () => new library.CRC32C(), settings.maxNumOfPages);
  }

  async *list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    if (start.version === undefined) yield* this.#listPrefix(start.authority, start.path.slice(1), options);
    else yield await this.stat(start);
  }

  checkAccess(start: FileUri, signal: AbortSignal): Promise<void> {
    return checkAccessByListing(this, start, signal);
  }

  async stat(uri: FileUri): Promise<StoredFile> {
    const { version } = uri;
    const facts = await this.#ask<ObjectFacts>('GET', `${objectPath(uri)}?fields=${FACTS}${generationQuery(version)}`);
    const file = storedObject(uri.authority, uri.path.slice(1), facts);
    return version === undefined ? file : { ...file, uri: { ...file.uri, version } };
  }

  async *read(uri: FileUri): AsyncGenerator<Uint8Array> {
    const sum = this.#sum();
    let first: HttpHeaders | undefined;
    const pieces = resumedReading(async (offset) => {
      const { status, headers, body } = await this.#open(uri, offset, generationOf(first) ?? uri.version);
      first ??= headers;
      return offset > 0 && status !== 206 ? between(offset, Number.POSITIVE_INFINITY, body) : body;
    });
    for await (const piece of pieces) {
      sum.update(piece as Buffer);
      yield piece;
    }
    const expected = checksumOf(first);
    if (expected === undefined || sum.validate(expected)) return;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `gs://${uri.authority}${uri.path} arrived with a wrong checksum`, {
      hint: 'Run it again. If the error remains, look for a proxy that changes the content.',
    });
  }

  async openRanges(uri: FileUri): Promise<RangedFile> {
    const path = `gs://${uri.authority}${uri.path}`;
    const { size, generation } = await this.#ask<ObjectFacts>(
      'GET',
      `${objectPath(uri)}?fields=size,generation${generationQuery(uri.version)}`,
    );
    return {
      size: Number(size ?? 0),
      read: (start, end) =>
        readRange(path, start, end, async (from) => {
          const { status, body } = await this.#open(uri, from, generation, end);
          // A server that ignores the range sends the whole object.
          return status === 206 ? body : between(from, end, body);
        }),
      close: async () => {},
    };
  }

  async move(file: FileUri, folder: FileUri): Promise<void> {
    const target = objectPath({ ...folder, path: `/${movedKey(file.path.slice(1), folder)}` });
    let token: string | undefined;
    do {
      // Large objects take several requests.
      const query = token === undefined ? '' : `?rewriteToken=${encodeURIComponent(token)}`;
      const path = `${objectPath(file)}/rewriteTo${target}${query}`;
      const { done, rewriteToken } = await this.#ask<{ done?: boolean; rewriteToken?: string }>('POST', path);
      token = done === true ? undefined : rewriteToken;
    } while (token !== undefined);
    await this.#ask('DELETE', objectPath(file));
  }

  async close(): Promise<void> {
    this.#login.close();
    await this.#http.close();
  }

  async *#listPrefix(bucket: string, prefix: string, options: ListOptions): AsyncGenerator<StoredFile> {
    let page: string | undefined;
    do {
      const query = new URLSearchParams({
        prefix,
        delimiter: '/',
        fields: `prefixes,nextPageToken,items(${FACTS})`,
        ...(this.#pageSize === undefined ? {} : { maxResults: String(this.#pageSize) }),
        ...(page === undefined ? {} : { pageToken: page }),
      });
      const found = await this.#ask<Page>('GET', `/b/${encodeURIComponent(bucket)}/o?${query}`, options.signal);
      for (const facts of found.items ?? []) {
        if (!facts.name.endsWith('/')) yield storedObject(bucket, facts.name, facts);
      }
      for (const folder of found.prefixes ?? []) {
        if (!options.skips(`gs://${bucket}/${folder.slice(0, -1)}`)) yield* this.#listPrefix(bucket, folder, options);
      }
      page = found.nextPageToken;
    } while (page !== undefined && !options.signal.aborted);
  }

  async #ask<T>(method: string, path: string, signal?: AbortSignal): Promise<T> {
    const request = { method, url: this.#login.url(path), headers: await this.#login.headers() };
    const answer = await this.#http.request({ ...request, ...(signal === undefined ? {} : { signal }) });
    this.#login.explain(answer.status);
    const { body } = requireSuccess(answer);
    return (body.length === 0 ? {} : parseJson(body.toString())) as T;
  }

  /** @param end the end of the range, exclusive; undefined for the end of the object */
  async #open(uri: FileUri, offset: number, generation: string | undefined, end?: number) {
    const isWhole = offset === 0 && end === undefined;
    const last = end === undefined ? '' : end - 1;
    const answer = await this.#http.stream({
      url: this.#login.url(`${objectPath(uri)}?alt=media${generationQuery(generation)}`),
      headers: { ...(await this.#login.headers()), ...(isWhole ? {} : { range: `bytes=${offset}-${last}` }) },
    });
    this.#login.explain(answer.status);
    return requireStreamSuccess(answer);
  }
}

function generationQuery(generation: string | undefined): string {
  return generation === undefined ? '' : `&generation=${generation}`;
}

function objectPath({ authority, path }: FileUri): string {
  return `/b/${encodeURIComponent(authority)}/o/${encodeURIComponent(path.slice(1))}`;
}

/** Returns the version (generation) of the object in a response. */
function generationOf(headers: HttpHeaders | undefined): string | undefined {
  return headers === undefined ? undefined : headerText(headers, 'x-goog-generation');
}

/**
 * Returns the CRC32C checksum of the body, in base64; undefined for an object that was unpacked on the way, which has
 * another checksum.
 */
function checksumOf(headers: HttpHeaders = {}): string | undefined {
  const stored = headerText(headers, 'x-goog-stored-content-encoding') ?? 'identity';
  if (stored !== 'identity' || headers['content-encoding'] !== undefined) return undefined;
  return /\bcrc32c=([\w+/]+=*)/.exec([headers['x-goog-hash'] ?? ''].flat().join())?.[1];
}

/** Yields the bytes from `start` to before `end`. Ignores the rest. */
async function* between(start: number, end: number, body: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of body) {
    if (at + piece.length > start) yield piece.subarray(Math.max(0, start - at), end - at);
    at += piece.length;
    if (at >= end) return;
  }
}

function storedObject(bucket: string, name: string, { size, updated, timeCreated }: ObjectFacts): StoredFile {
  return {
    uri: { scheme: 'gs', authority: bucket, path: `/${name}` },
    path: `gs://${bucket}/${name}`,
    name,
    size: Number(size ?? 0),
    modified: nanosOf(updated === undefined ? undefined : new Date(updated)),
    created: timeCreated === undefined ? undefined : nanosOf(new Date(timeCreated)),
  };
}
