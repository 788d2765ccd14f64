import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONNECTS,
  Connector,
  Document,
  HeadraceError,
  isTransient,
  messageOf,
  type ParameterProblem,
  type Publisher,
  parseDuration,
  type Static,
  type TouchedFile,
  Type,
  type Value,
} from '@headrace/engine';
import { recognizeBinary } from '@headrace/formats/archives';
import { feedText } from '@headrace/formats/charsets';
import { readFeed } from '@headrace/formats/xml/feed';
import { type FeedItem, feedItem } from '../file-formats/feed/feed-item.ts';
import type { FileState } from '../files/file-state.ts';
import { FinishedFiles } from '../files/finished-files.ts';
import {
  checkStateAccess,
  checkStateConnection,
  defaultStateFile,
  keepsState,
  openState,
  RememberParameter,
} from '../files/state-settings.ts';
import { HttpClient, type HttpClientOptions, headerText, requireSuccess } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { getFollowing } from '../http/redirects.ts';
import { NO_RETRY } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { checkServerAccess, tlsOf, tlsParameter } from '../http/server-access.ts';
import { unpackedBody } from '../http/unpacked-body.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';

const parameters = Type.Object({
  /** The http or https URL of the feed. */
  rssURL: Type.String(CONNECTS),
  /**
   * Whether the guid is the id of the document. Otherwise the id is a random UUID, and every run publishes new
   * documents.
   */
  useGuidForDocID: Type.Boolean({ default: true }),
  /**
   * A duration such as "2h" or "7d". Items that were published longer ago are skipped. Items without a date are
   * published, with a warning. Defaults to none.
   */
  pubDateCutoff: Type.Optional(Type.String()),
  /**
   * A duration. The feed is read again until this time has passed. Requires refreshIncrement. By default, and in a
   * preview, the feed is read once. The duration may be longer than a day: only a runner.connectorTimeout in the config
   * ends the connector earlier.
   */
  runDuration: Type.Optional(Type.String()),
  /** A duration: the wait between two readings. Use minutes rather than seconds. Requires runDuration. */
  refreshIncrement: Type.Optional(Type.String()),
  /** Makes the connector remember between runs what it has published. */
  state: Type.Optional(RememberParameter),
  /** The certificates for TLS, as PEM files. */
  tls: tlsParameter,
  /** Whether to accept any certificate of the server, for tests only. */
  acceptInvalidCert: Type.Boolean({ default: false }),
});

const DURATIONS = ['pubDateCutoff', 'runDuration', 'refreshIncrement'] as const;

const ACCEPT = 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1';
/** The maximum size of a feed: it is in memory as a whole. */
const MAX_FEED_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 10;
/** The maximum delay of a timer in Node: a longer timer would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Publishes a document for each item of an RSS feed (0.9 to 2.0) or each entry of an Atom feed, in the order of the
 * feed. With runDuration and refreshIncrement, it reads the feed repeatedly and publishes only items that are new or
 * changed since the last reading.
 *
 * A document has these fields, if the item has them: author, categories (a list), comments, content, description (in
 * Atom the summary; without one, the content), enclosures (a list of objects with type, url and length), guid,
 * isPermaLink, link, title and pubDate, an instant in UTC. In Atom, guid is the id, pubDate the date of publication or
 * of the last update, and link the link to the entry. An invalid date is omitted, with a warning.
 *
 * The id of a document is the guid. An item without a guid gets its link as id, and without a link a hash of its
 * content, so another run makes no second document of it.
 *
 * The connector is polite to servers: an unchanged feed is not downloaded again (ETag, Last-Modified), an overloaded
 * server gets the time that it asks for, and only one request runs at a time. Temporary failures are tried again;
 * between two readings, such a failure is only a warning. Feeds with common XML faults are read; an incomplete feed is
 * not. Redirects are followed. A user and a password in the URL are sent as basic authentication. Proxies are read from
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment.
 *
 * With a block state, the connector remembers between runs which items it has published, and publishes only new or
 * changed ones. An item counts as published when its document was indexed, or failed and is kept (by the service, or
 * with headrace run --failures FILE): after a run is killed, the next run leaves nothing out. Items that are no longer in the feed are forgotten, so the state stays as small as the
 * feed. After an empty feed, or one that could not be read, nothing is forgotten.
 */
export class RSSConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  #client: HttpClient | undefined;
  #etag: string | undefined;
  #lastModified: string | undefined;
  #state: FileState | undefined;
  #settled: FinishedFiles<string> | undefined;
  #completed = false;

  static override endless({ runDuration }: Static<typeof parameters>): boolean {
    return runDuration !== undefined;
  }

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const url = URL.parse(params.rssURL);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      yield {
        parameter: 'rssURL',
        message: 'Attempted to create RSSConnector with malformed rssURL.',
        hint: 'Write an http or https URL, such as https://example.org/feed.xml.',
      };
    }
    yield* checkServerAccess('', [params.rssURL], params);
    for (const name of DURATIONS) {
      const text = params[name];
      const duration = text === undefined ? 1n : parseDuration(text);
      if (duration !== undefined && duration >= (name === 'refreshIncrement' ? 1n : 0n)) continue;
      yield {
        parameter: name,
        message: `${name} must be a ${duration === undefined ? '' : 'positive '}duration, was "${text}"`,
        hint: 'Write a number and a unit: 90s, 2h, 7d.',
      };
    }
    if ((params.runDuration === undefined) !== (params.refreshIncrement === undefined)) {
      yield {
        parameter: params.runDuration === undefined ? 'refreshIncrement' : 'runDuration',
        message: 'runDuration and refreshIncrement must both be defined to run incrementally.',
        hint: 'Set both, or remove both to read the feed once.',
      };
    }
    yield* checkStateConnection(params.state);
  }

  static override *touches({ state }: Static<typeof parameters>, name: string): Generator<TouchedFile> {
    if (keepsState(state)) yield* defaultStateFile(state, name);
  }

  static override goesOn({ state }: Static<typeof parameters>): boolean {
    return keepsState(state);
  }

  static override marksRead({ state }: Static<typeof parameters>): boolean {
    return keepsState(state);
  }

  override async checkAccess(_report: unknown, signal: AbortSignal): Promise<void> {
    try {
      this.#client = await this.#open({ retry: NO_RETRY });
      await this.#read(signal);
    } catch (error) {
      throw this.#unreadable(error);
    } finally {
      await this.#client?.close();
    }
    const { state } = this.params;
    if (keepsState(state)) await checkStateAccess(state, this.context.log);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    const increment = context.preview ? undefined : milliseconds(params.refreshIncrement);
    const again = increment === undefined ? undefined : Math.min(increment, MAX_TIMER_MS);
    const until = performance.now() + (milliseconds(params.runDuration) ?? 0);
    // A preview does not use the remembered items.
    if (!context.preview && keepsState(params.state)) {
      const state = await openState(params.state, context.name, context.log);
      this.#state = state;
      this.#settled = new FinishedFiles(target, async (digests) => state.published(digests, now()));
    }
    this.#client = await this.#open();
    const goesOn = () => again !== undefined && performance.now() < until;
    let known: ReadonlySet<string> = new Set();
    for (;;) {
      const items = await this.#readOrWait(goesOn, target.signal);
      await this.#publishNew(items, known, target);
      // A temporarily empty feed does not make its items new.
      if (items.length > 0) known = new Set(items.map(({ digest }) => digest));
      this.#completed = !target.signal.aborted;
      if (!goesOn() || target.signal.aborted) return;
      await sleep(again, undefined, { signal: target.signal }).catch(() => undefined);
      if (target.signal.aborted) return;
    }
  }

  override async markRead(): Promise<void> {
    const unread = await this.#settled?.finish();
    if (unread !== undefined) this.message = `items are left for the next run: ${unread}`;
    // Items that are no longer in the feed are removed from the state.
    if (this.#completed) await this.#state?.reportExpired(1, true);
  }

  override async close(): Promise<void> {
    try {
      await this.#settled?.abandon();
      await this.#state?.close();
    } finally {
      await this.#client?.close();
    }
  }

  async #open(options: HttpClientOptions = {}): Promise<HttpClient> {
    const tls = tlsOf(this.params);
    return HttpClient.open({ connections: 1, maxBodyBytes: MAX_FEED_BYTES, tls, ...options });
  }

  /**
   * Returns the items of the feed. Returns an empty list if the feed has not changed, or after a temporary failure that
   * is followed by another reading.
   */
  async #readOrWait(goesOn: () => boolean, signal: AbortSignal): Promise<readonly FeedItem[]> {
    try {
      return await this.#read(signal);
    } catch (error) {
      if (signal.aborted) return [];
      const passing = error instanceof HttpError && (error.isConnectionFailure || isTransient(error.status ?? 0));
      if (!passing || !goesOn()) throw this.#unreadable(error);
      this.context.log.warn(`${messageOf(error)}. The feed is read again in ${this.params.refreshIncrement}`);
      return [];
    }
  }

  async #read(signal: AbortSignal): Promise<readonly FeedItem[]> {
    const { rssURL } = this.params;
    const headers: Record<string, string> = { accept: ACCEPT };
    if (this.#etag !== undefined) headers['if-none-match'] = this.#etag;
    if (this.#lastModified !== undefined) headers['if-modified-since'] = this.#lastModified;
    const response = await getFollowing(
      this.#client as HttpClient,
      { url: rssURL, headers, signal },
      { limit: MAX_REDIRECTS, follow: () => true },
    );
    if (response.status === 304) return [];
    const { body, headers: answered, url } = requireSuccess(response);
    const content = await unpackedBody(body, { bytes: MAX_FEED_BYTES, oversize: 'fail' }, url);
    const other = recognizeBinary(Buffer.from(content.subarray(0, 1024)));
    if (other !== undefined) throw new Error(`it is ${other.name}, not a feed`);
    const feed = await readFeed(feedText(content, headerText(answered, 'content-type')));
    if (feed.fault !== undefined) {
      this.context.notices.report('feed.malformed', { file: safeUrl(rssURL), hint: feed.fault });
      this.context.log.warn(`${safeUrl(rssURL)} is not well-formed XML (${feed.fault}): it is read as far as possible`);
    }
    this.#etag = headerText(answered, 'etag');
    this.#lastModified = headerText(answered, 'last-modified');
    return feed.items.map((element) => feedItem(element, url));
  }

  async #publishNew(items: readonly FeedItem[], known: ReadonlySet<string>, target: Publisher): Promise<void> {
    const window = milliseconds(this.params.pubDateCutoff);
    const oldest = window === undefined ? undefined : Date.now() - window;
    // An empty, unchanged or unreadable feed does not show which items are gone.
    if (items.length > 0) await this.#state?.begin();
    for (const item of items) {
      if (target.signal.aborted) return;
      const published = await this.#state?.encounter(item.digest);
      if (published !== undefined || known.has(item.digest)) continue;
      const id = this.#idOf(item);
      if (item.badDate !== undefined) {
        this.context.notices.report('date.omitted', { document: id, field: 'pubDate', value: item.badDate });
      }
      if (oldest !== undefined) {
        if (item.published === undefined) {
          this.context.log.warn(`${id} has no date to compare with pubDateCutoff: the item is published`);
        } else if (item.published.getTime() < oldest) continue;
      }
      const waiting = target.publish(documentOf(id, item.fields));
      if (waiting !== undefined) await waiting;
      this.#settled?.add(item.digest);
    }
    if (items.length > 0) await this.#state?.finish();
  }

  #idOf({ guid, substitute }: FeedItem): string {
    const { useGuidForDocID } = this.params;
    return this.context.docIdPrefix + (useGuidForDocID ? (guid ?? substitute) : crypto.randomUUID());
  }

  #unreadable(error: unknown): HeadraceError {
    const reason = error instanceof HttpError ? error.message : `${safeUrl(this.params.rssURL)}: ${messageOf(error)}`;
    return new HeadraceError('HR_SOURCE_UNREADABLE', reason, {
      hint: 'Open rssURL in a browser: it must show the feed itself, not a web page.',
    });
  }
}

function documentOf(id: string, fields: ReadonlyMap<string, Value>): Document {
  const document = Document.create(id);
  for (const [name, value] of fields) document.set(name, value);
  return document;
}

function milliseconds(duration: string | undefined): number | undefined {
  const nanos = duration === undefined ? undefined : parseDuration(duration);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** Returns the current time in nanoseconds since the epoch. */
function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
