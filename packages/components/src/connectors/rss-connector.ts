import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONNECTS,
  Connector,
  Document,
  HeadraceError,
  messageOf,
  type ParameterProblem,
  type Publisher,
  parseDuration,
  type Static,
  type TouchedFile,
  Type,
  type Value,
} from '@headrace/engine';
import { readFeed } from '@headrace/xml/feed';
import type { FileState } from '../files/file-state.ts';
import { FinishedFiles } from '../files/finished-files.ts';
import {
  checkStateConnection,
  defaultStateFile,
  keepsState,
  openState,
  RememberParameter,
  reachState,
} from '../files/state-settings.ts';
import { type FeedItem, feedItem } from '../formats/feed/feed-item.ts';
import { feedText } from '../formats/feed/feed-text.ts';
import { HttpClient, type HttpClientOptions, headerText, requireSuccess } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { getFollowing } from '../http/redirects.ts';
import { isTransient, NO_RETRY } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { checkServerAccess, tlsOf, tlsParameter } from '../http/server-access.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';

const parameters = Type.Object({
  rssURL: Type.String(CONNECTS),
  useGuidForDocID: Type.Optional(Type.Boolean({ default: true })),
  pubDateCutoff: Type.Optional(Type.String()),
  runDuration: Type.Optional(Type.String()),
  refreshIncrement: Type.Optional(Type.String()),
  state: Type.Optional(RememberParameter),
  tls: tlsParameter,
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
});

const DURATIONS = ['pubDateCutoff', 'runDuration', 'refreshIncrement'] as const;

const ACCEPT = 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1';
/** A feed is held as a whole. */
const MAX_FEED_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 10;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Publishes a document for each item of an RSS feed (0.9 to 2.0) or each entry of an Atom feed, in the order of the
 * feed: once, or, with runDuration and refreshIncrement, again and again, each time only the items that are new or
 * changed since the reading before.
 * <p>
 * A document has, as far as the item does: <code>author</code>, <code>categories</code> (a list), <code>comments</code>,
 * <code>content</code>, <code>description</code> (that of Atom's summary; the content where there is no other),
 * <code>enclosures</code> (a list of objects with type, url and length), <code>guid</code>, <code>isPermaLink</code>,
 * <code>link</code>, <code>title</code> and <code>pubDate</code>, an instant in UTC. Of Atom <code>guid</code> is the
 * id, <code>pubDate</code> the date of publication or else of the last update, <code>link</code> the link to
 * the entry itself. A date that cannot be read is left out, with a warning.
 * <p>
 * The id of a document is the guid; of an item without one its link, and without that a hash of its content, so that
 * another run makes no second document of it.
 * <p>
 * Servers are asked politely: a feed that has not changed is not downloaded again (ETag, Last-Modified), a server that
 * is overloaded is given the time that it asks for, and only one request is under way. What fails in passing is tried
 * again; between two readings such a failure is only a warning. Feeds with common faults of their XML are read all the
 * same, one that breaks off is not. Redirects are followed. A user and a password in the URL are sent as basic
 * authentication. Proxies are taken from HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment.
 * <p>
 * With a block <code>state</code> the connector remembers between runs which items it has published, and publishes only
 * those that are new or changed. An item counts as published when its document was indexed, or failed by itself: a run that is
 * killed leaves nothing out in the next one. Items that are no longer in the feed are forgotten, so the state stays as
 * small as the feed. An empty feed, and one that could not be read, forgets nothing.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>rssURL (String, Required) : The URL of the feed, of http or https.</li>
 *   <li>useGuidForDocID (Boolean, Optional) : Whether the guid is the id of the document; otherwise it is a random UUID, and every run publishes new documents. Defaults to true.</li>
 *   <li>pubDateCutoff (String, Optional) : A duration such as "2h" or "7d"; items that were published longer ago are left out. Those without a date are published, with a warning. Defaults to none.</li>
 *   <li>runDuration (String, Optional) : A duration; the feed is read again until it has passed. Needs refreshIncrement. By default the feed is read once; so it is in a preview. It may be longer than a day: only a <code>runner.connectorTimeout</code> that the config sets ends the connector earlier.</li>
 *   <li>refreshIncrement (String, Optional) : A duration; how long to wait between two readings. Minutes are polite. Needs runDuration.</li>
 *   <li>state (Map, Optional) : Makes the connector remember between runs what it has published.</li>
 *   <li>state.enabled (Boolean, Optional) : Whether to remember. Defaults to true.</li>
 *   <li>state.driver (String, Optional) : The JDBC driver of the database; the connection string says it all. Defaults to org.h2.Driver.</li>
 *   <li>state.connectionString (String, Optional) : Where the state is kept: <code>jdbc:sqlite:file</code>, <code>jdbc:h2:path</code>, for which the SQLite file <code>path.sqlite</code> is used, <code>jdbc:postgresql://host:port/database</code>, <code>jdbc:mysql:…</code> or <code>jdbc:mariadb:…</code>. One run at a time has it open. Defaults to <code>jdbc:h2:./state/</code> and the name of the connector.</li>
 *   <li>state.jdbcUser (String, Optional) : The user of the database; not needed for a file. Defaults to none.</li>
 *   <li>state.jdbcPassword (String, Optional) : The user's password. Defaults to none.</li>
 *   <li>state.tableName (String, Optional) : The name of the table, in upper case. Defaults to the name of the connector.</li>
 *   <li>tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
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
        hint: 'It must be a URL of http or https, such as https://example.org/feed.xml.',
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
        hint: 'Without both the feed is read once.',
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

  override async reach(_report: unknown, signal: AbortSignal): Promise<void> {
    try {
      this.#client = await this.#open({ retry: NO_RETRY });
      await this.#read(signal);
    } catch (error) {
      throw this.#unreadable(error);
    } finally {
      await this.#client?.close();
    }
    const { state } = this.params;
    if (keepsState(state)) await reachState(state, this.context.log);
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { params, context } = this;
    const target = requirePublisher(publisher, context.name);
    const increment = context.preview ? undefined : milliseconds(params.refreshIncrement);
    const again = increment === undefined ? undefined : Math.min(increment, MAX_TIMER_MS);
    const until = performance.now() + (milliseconds(params.runDuration) ?? 0);
    // A preview neither reads nor writes what is remembered.
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
      // A feed that is empty for a moment does not make its items new.
      if (items.length > 0) known = new Set(items.map(({ digest }) => digest));
      this.#completed = !target.signal.aborted;
      if (!goesOn() || target.signal.aborted) return;
      await sleep(again, undefined, { signal: target.signal }).catch(() => undefined);
      if (target.signal.aborted) return;
    }
  }

  /** All documents have come to their end. */
  override async postExecute(): Promise<void> {
    const delivered = (await this.#settled?.finish()) !== false;
    if (!delivered) this.message = 'items whose documents could not be delivered are left for the next run';
    // What was not in the feed is forgotten.
    if (this.#completed) await this.#state?.told(1, true);
  }

  override async close(): Promise<void> {
    try {
      await this.#settled?.giveUp();
      await this.#state?.close();
    } finally {
      await this.#client?.close();
    }
  }

  async #open(options: HttpClientOptions = {}): Promise<HttpClient> {
    const tls = tlsOf(this.params);
    return HttpClient.open({ connections: 1, maxBodyBytes: MAX_FEED_BYTES, tls, ...options });
  }

  /** The items of the feed; none when it has not changed, or, while others follow, when a reading fails in passing. */
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
    const feed = await readFeed(feedText(body, headerText(answered, 'content-type')));
    if (feed.fault !== undefined) {
      this.context.log.warn(
        `${safeUrl(rssURL)} is not well-formed XML (${feed.fault}): it is read as far as it can be`,
      );
    }
    this.#etag = headerText(answered, 'etag');
    this.#lastModified = headerText(answered, 'last-modified');
    return feed.items.map((element) => feedItem(element, url));
  }

  async #publishNew(items: readonly FeedItem[], known: ReadonlySet<string>, target: Publisher): Promise<void> {
    const window = milliseconds(this.params.pubDateCutoff);
    const oldest = window === undefined ? undefined : Date.now() - window;
    // A feed that is empty, has not changed or could not be read says nothing about what is no longer in it.
    if (items.length > 0) await this.#state?.begin();
    for (const item of items) {
      if (target.signal.aborted) return;
      const published = await this.#state?.encounter(item.digest);
      if (published !== undefined || known.has(item.digest)) continue;
      const id = this.#idOf(item);
      if (item.badDate !== undefined) {
        this.context.log.warn(`${id}: "${item.badDate}" is no date that can be read: it is left out`);
      }
      if (oldest !== undefined) {
        if (item.published === undefined) {
          this.context.log.warn(`${id} has no date to compare with pubDateCutoff: it is published`);
        } else if (item.published.getTime() < oldest) continue;
      }
      const waiting = target.publish(documentOf(id, item.fields));
      if (waiting !== undefined) await waiting;
      this.#settled?.add(item.digest);
    }
    if (items.length > 0) await this.#state?.finish();
  }

  #idOf({ guid, substitute }: FeedItem): string {
    const { useGuidForDocID = true } = this.params;
    return this.context.docIdPrefix + (useGuidForDocID ? (guid ?? substitute) : crypto.randomUUID());
  }

  #unreadable(error: unknown): HeadraceError {
    const reason = error instanceof HttpError ? error.message : `${safeUrl(this.params.rssURL)}: ${messageOf(error)}`;
    return new HeadraceError('HR_SOURCE_UNREADABLE', reason, {
      hint: 'Check rssURL: open it in a browser, it must show the feed itself.',
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

/** Nanoseconds since the epoch. */
function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
