import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type ConnectorContext, withDefaults } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { RSSConnector } from './rss-connector.ts';

let server: StubServer | undefined;
afterEach(() => server?.close());

const RSS = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>${items}</channel></rss>`;
const item = (guid: string, more = '') => `<item><guid>${guid}</guid>${more}</item>`;

type Params = Partial<ConstructorParameters<typeof RSSConnector>[0]>;

interface Options {
  readonly publisher?: CollectingPublisher;
  readonly preview?: boolean;
}

/** Runs the connector against a server with this response. */
async function publish(answer: StubHandler | string, params: Params = {}, options: Options = {}) {
  const { publisher = new CollectingPublisher(), preview = false } = options;
  server = await StubServer.start(typeof answer === 'string' ? (_, response) => void response.end(answer) : answer);
  const context = {
    name: 'c',
    docIdPrefix: 'p-',
    runId: 'r',
    log: publisher.log,
    notices: publisher.notices,
    signal: publisher.signal,
    preview,
  };
  const connector = new RSSConnector(
    withDefaults(RSSConnector.parameters, { rssURL: `${server.url}/feed?token=s3cret`, ...params }),
    context as ConnectorContext,
  );
  try {
    await connector.execute(publisher);
  } finally {
    await connector.close();
  }
  return publisher;
}

/** Returns each response once, in order, and then always the last one. */
function inTurn(...answers: readonly ((response: ServerResponse) => void)[]): StubHandler {
  let turn = 0;
  return (_, response) => answers[Math.min(turn++, answers.length - 1)]?.(response);
}

const ids = ({ documents }: CollectingPublisher) => documents.map(({ id }) => id);

describe('RSSConnector', () => {
  it('publishes the items of an RSS feed in order with all their fields', async () => {
    const { json } = await publish(
      RSS(`
      <item>
        <title> Ca&amp;t &#8211; <![CDATA[<dog>]]></title><link>http://x.example/1</link>
        <description>&lt;p&gt;Hi&lt;/p&gt;</description><author>a@x.example</author>
        <category>one</category><category domain="d">two</category><category/>
        <comments>http://x.example/1#c</comments><guid isPermaLink="false">g1</guid>
        <enclosure url="http://x.example/1.mp3" length="123" type="audio/mpeg"/><enclosure url="u"/>
        <pubDate>Mon, 06 Feb 2023 10:00:00 +0100</pubDate>
        <content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/"><![CDATA[<b>full</b>]]></content:encoded>
      </item>${item('g2')}`),
    );
    expect(json).toEqual([
      '{"id":"p-g1","author":"a@x.example","categories":["one","two"],"comments":"http://x.example/1#c","content":"<b>full</b>","description":"<p>Hi</p>","enclosures":[{"type":"audio/mpeg","url":"http://x.example/1.mp3","length":123},{"url":"u"}],"guid":"g1","isPermaLink":false,"link":"http://x.example/1","title":"Ca&t – <dog>","pubDate":"2023-02-06T09:00:00Z"}',
      '{"id":"p-g2","guid":"g2"}',
    ]);
  });

  it('publishes the entries of an Atom feed', async () => {
    const { json } = await publish(`<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:id>f</a:id>
      <a:entry><a:id>urn:1</a:id><a:title type="html">A &lt;i&gt;b&lt;/i&gt;</a:title>
        <a:link rel="enclosure" href="/1.mp3" type="audio/mpeg" length="9"/><a:link rel="self" href="http://x.example/s"/>
        <a:link href="/e/1"/><a:link rel="enclosure" href="http://x.example/2.mp3"/>
        <a:summary>sum</a:summary><a:author><a:name>Ann</a:name></a:author><a:author><a:email>b@x.example</a:email></a:author>
        <a:category term="t1" label="T"/><a:published>2023-01-02T03:04:05.678+01:00</a:published><a:updated>2024-01-01T00:00:00Z</a:updated>
        <a:content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">1 &lt; <b class="c">2</b><br/></div></a:content></a:entry>
      <a:entry><a:id>urn:2</a:id><a:updated>2024-01-01T00:00:00Z</a:updated></a:entry></a:feed>`);
    const base = server?.url;
    expect(json).toEqual([
      `{"id":"p-urn:1","author":"Ann, b@x.example","categories":["t1"],"content":"1 &lt; <b class=\\"c\\">2</b><br/>","description":"sum","enclosures":[{"type":"audio/mpeg","url":"${base}/1.mp3","length":9},{"url":"http://x.example/2.mp3"}],"guid":"urn:1","link":"${base}/e/1","title":"A <i>b</i>","pubDate":"2023-01-02T02:04:05.678Z"}`,
      '{"id":"p-urn:2","guid":"urn:2","pubDate":"2024-01-01T00:00:00Z"}',
    ]);
  });

  it('unpacks a compressed feed, and names the format of other files', async () => {
    const { documents } = await publish((_, response) => void response.end(gzipSync(RSS(item('1')))));
    expect(documents.map(({ id }) => id)).toEqual(['p-1']);
    await server?.close();
    await expect(publish((_, response) => void response.end('%PDF-1.7 x'))).rejects.toThrow(
      'it is a PDF file, not a feed',
    );
  });

  it('reads RSS 1.0', async () => {
    const { json } =
      await publish(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="c"><title>T</title></channel>
      <item rdf:about="http://x.example/1"><title>One</title><dc:creator>Ann</dc:creator><dc:date>2023-02-06</dc:date></item></rdf:RDF>`);
    expect(json).toEqual([
      '{"id":"p-http://x.example/1","author":"Ann","guid":"http://x.example/1","title":"One","pubDate":"2023-02-06T00:00:00Z"}',
    ]);
  });

  it('gives items without a guid the same id in each run, unless the ids are random', async () => {
    const feed = RSS('<item><link>http://x.example/1</link></item><item><title>x</title></item>');
    const first = ids(await publish(feed));
    expect(first).toEqual(['p-http://x.example/1', expect.stringMatching(/^p-[0-9a-f]{32}$/)]);
    await server?.close();
    expect(ids(await publish(feed))).toEqual(first);
    await server?.close();
    const random = ids(await publish(RSS(item('g')), { useGuidForDocID: false }));
    expect(random).toEqual([expect.stringMatching(/^p-[0-9a-f]{8}-[0-9a-f]{4}-4/)]);
  });

  it('omits invalid dates, and items older than pubDateCutoff', async () => {
    const now = new Date(Date.now() - 60_000).toUTCString();
    const feed = RSS(
      item('new', `<pubDate>${now}</pubDate>`) +
        item('old', '<pubDate>Mon, 06 Feb 2023 10:00:00 GMT</pubDate>') +
        item('bad', '<pubDate>garbage</pubDate>'),
    );
    const { documents, warnings, collector } = await publish(feed, { pubDateCutoff: '2h' });
    expect(documents.map((document) => [document.id, document.has('pubDate')])).toEqual([
      ['p-new', true],
      ['p-bad', false],
    ]);
    expect(warnings).toEqual(['p-bad has no date to compare with pubDateCutoff: the item is published']);
    expect(collector.list()).toMatchObject([
      { code: 'date.omitted', count: 1, examples: [{ document: 'p-bad', value: 'garbage' }] },
    ]);
  });

  describe('with runDuration', () => {
    const polling = { runDuration: '1h', refreshIncrement: '1ms' };

    /** Reads until the server has received this many requests. The items of the last response may be missing. */
    async function poll(requests: number, answer: StubHandler): Promise<CollectingPublisher> {
      const publisher = new CollectingPublisher();
      const answerAndStop: StubHandler = (request, response) => {
        if (server?.requests.length === requests) publisher.abort();
        return answer(request, response);
      };
      return publish(answerAndStop, polling, { publisher });
    }

    it('publishes new and changed items; an empty feed does not make old items new', async () => {
      const send = (feed: string) => (response: ServerResponse) => void response.end(feed);
      const publisher = await poll(
        6,
        inTurn(
          send(RSS(item('1') + item('2'))),
          send(RSS('')),
          send(RSS(item('3') + item('2', '<title>changed</title>') + item('1'))),
          send(RSS(item('3'))),
          send(RSS(item('3') + item('1'))),
        ),
      );
      expect(ids(publisher)).toEqual(['p-1', 'p-2', 'p-3', 'p-2', 'p-1']);
    });

    it('does not download an unchanged feed again', async () => {
      const date = 'Mon, 06 Feb 2023 10:00:00 GMT';
      const publisher = await poll(4, ({ headers }, response) => {
        if (headers['if-none-match'] === '"1"' && headers['if-modified-since'] === date) response.writeHead(304).end();
        else response.writeHead(200, { etag: '"1"', 'last-modified': date }).end(RSS(item('1')));
      });
      expect(ids(publisher)).toEqual(['p-1']);
      expect(server?.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"', '"1"']);
      expect(server?.mostAtOnce).toBe(1);
    });

    it('ends after the first reading after runDuration', async () => {
      await publish(RSS(item('1')), { runDuration: '0s', refreshIncrement: '1h' });
      expect(server?.requests).toHaveLength(1);
    });

    it('reads once in a preview', async () => {
      await publish(RSS(item('1')), { runDuration: '1h', refreshIncrement: '1h' }, { preview: true });
      expect(server?.requests).toHaveLength(1);
    });

    it('ends immediately when the run stops during a wait', async () => {
      const publisher = new CollectingPublisher();
      const publishing = publish(RSS(item('1')), { runDuration: '1h', refreshIncrement: '1h' }, { publisher });
      while (publisher.documents.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      publisher.abort();
      await publishing;
      expect(server?.requests).toHaveLength(1);
    });
  });

  it('retries temporary failures', async () => {
    const publisher = await publish(
      inTurn(
        (response) => void response.writeHead(503, { 'retry-after': '0' }).end(),
        (response) => void response.destroy(),
        (response) => void response.end(RSS(item('1'))),
      ),
    );
    expect(ids(publisher)).toEqual(['p-1']);
  });

  it('follows redirects', async () => {
    const publisher = await publish(({ path }, response) => {
      if (path === '/new/feed') response.end(RSS(item('1')));
      else response.writeHead(301, { location: '/new/feed' }).end();
    });
    expect(ids(publisher)).toEqual(['p-1']);
  });

  it.each([
    [
      'a status',
      (_: unknown, response: ServerResponse) => void response.writeHead(404).end('no'),
      'answered 404 Not Found: no',
    ],
    ['a page', '<html><body>Hi</body></html>', 'it is not an RSS or Atom feed: its root element is html'],
    ['nothing', '', 'it is not an RSS or Atom feed: it contains no XML'],
    ['plain text', 'Hi & bye', 'it is not an RSS or Atom feed: it contains no XML'],
    ['a part of a feed', RSS(item('1')).slice(0, -20), 'it breaks off before its end'],
    [
      'a feed that reads a file',
      `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>${RSS(item('&x;')).slice(21)}`,
      'the entity &x; is external, which is not read',
    ],
  ] as [string, string | StubHandler, string][])(
    'fails for %s, without showing secrets',
    async (_, answer, message) => {
      const failure = await publish(answer).catch((error: Error) => error);
      expect(failure).toBeInstanceOf(Error);
      expect((failure as Error).message).toContain(message);
      expect((failure as Error).message).toContain('/feed?token=');
      expect((failure as Error).message).not.toContain('s3cret');
    },
  );

  it('reads feeds with common XML faults', async () => {
    const { documents, warnings } = await publish(
      RSS(
        '<item><title>AT&T&nbsp;&eacute; &lt;<![CDATA[&]]></title><dc:creator>Q & A</dc:creator><x:y z="&">1</x:y></item>',
      ),
    );
    expect(documents.map((document) => [document.text('title'), document.text('author')])).toEqual([
      ['AT&T\u00a0é <&', 'Q & A'],
    ]);
    expect(warnings).toEqual([expect.stringContaining('is not well-formed XML (1:')]);
  });

  it.each([
    ['the header', 'text/xml; charset=ISO-8859-1', Buffer.from(RSS('<item><title>é</title></item>'), 'latin1')],
    [
      'the declaration',
      'text/xml',
      Buffer.from(RSS('<item><title>é</title></item>').replace('?>', ' encoding="windows-1252"?>'), 'latin1'),
    ],
    ['a mark', 'text/xml; charset=utf-8', Buffer.from(`\ufeff${RSS('<item><title>é</title></item>')}`, 'utf16le')],
    ['nothing', 'text/xml', Buffer.from(RSS('<item><title>é</title></item>'))],
  ])('uses the charset from %s', async (_, type, body) => {
    const { documents } = await publish((__, response) => void response.setHeader('content-type', type).end(body));
    expect(documents[0]?.text('title')).toBe('é');
  });
});

describe('the check of RSSConnector', () => {
  const problems = (params: object) =>
    [...RSSConnector.check(withDefaults(RSSConnector.parameters, { rssURL: 'http://x.example/f', ...params }))].map(
      ({ message }) => message,
    );

  it('reports invalid parameters', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ rssURL: 'nope' })).toEqual(['Attempted to create RSSConnector with malformed rssURL.']);
    expect(problems({ rssURL: 'file:///feed.xml' })).toHaveLength(1);
    expect(problems({ pubDateCutoff: 'soon' })).toEqual(['pubDateCutoff must be a duration, was "soon"']);
    expect(problems({ runDuration: '1s' })).toEqual([
      'runDuration and refreshIncrement must both be defined to run incrementally.',
    ]);
    expect(problems({ runDuration: '1s', refreshIncrement: '0s' })).toEqual([
      'refreshIncrement must be a positive duration, was "0s"',
    ]);
  });
});
