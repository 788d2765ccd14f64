import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ConnectorContext, type Given, HeadraceError, withDefaults } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { RSSConnector } from './rss-connector.ts';

const root = mkdtempSync(join(tmpdir(), 'headrace-rss-'));
let feed = '';
let server: StubServer;
beforeAll(async () => {
  server = await StubServer.start((_, response) => void response.end(feed));
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

let states = 0;
const newState = () => join(root, `state-${states++}.db`);
const items = (...guids: string[]) =>
  `<rss><channel>${guids.map((guid) => `<item><guid>${guid.split(' ')[0]}</guid><title>${guid}</title></item>`).join('')}</channel></rss>`;

interface Options {
  readonly publisher?: CollectingPublisher;
  readonly preview?: boolean;
  readonly params?: Given<ConstructorParameters<typeof RSSConnector>[0]>;
}

/** Runs the connector with a state in this file. Returns the published ids. */
async function run(file: string, options: Options = {}): Promise<string[]> {
  const { publisher = new CollectingPublisher(), preview = false, params } = options;
  const context = {
    name: 'c',
    docIdPrefix: '',
    runId: 'r',
    log: publisher.log,
    notices: publisher.notices,
    signal: publisher.signal,
    preview,
  };
  const connector = new RSSConnector(
    withDefaults(RSSConnector.parameters, {
      rssURL: server.url,
      state: { connectionString: `jdbc:sqlite:${file}` },
      ...params,
    }),
    context as ConnectorContext,
  );
  try {
    await connector.execute(publisher);
    await connector.markRead();
  } finally {
    await connector.close();
  }
  return publisher.documents.map((document) => document.text('title') ?? '');
}

function remembered(file: string): number {
  const database = new DatabaseSync(file);
  const { n } = database.prepare('SELECT count(*) AS n FROM "C"').get() as { n: number };
  database.close();
  return n;
}

class Undelivering extends CollectingPublisher {
  override settled(): Promise<void> {
    return Promise.reject(new HeadraceError('HR_INDEXER_UNDELIVERED', 'away'));
  }
}

describe('RSSConnector with a state', () => {
  it('publishes only new or changed items in the next run', async () => {
    const file = newState();
    feed = items('a', 'b');
    expect(await run(file)).toEqual(['a', 'b']);
    expect(await run(file)).toEqual([]);
    feed = items('c', 'b changed', 'a');
    expect(await run(file)).toEqual(['c', 'b changed']);
  });

  it('remembers items with random ids', async () => {
    const file = newState();
    feed = items('a', 'b');
    const params = { useGuidForDocID: false };
    expect(await run(file, { params })).toEqual(['a', 'b']);
    expect(await run(file, { params })).toEqual([]);
  });

  it('forgets items that are no longer in the feed, except after an empty feed', async () => {
    const file = newState();
    feed = items('a', 'b', 'c');
    await run(file);
    expect(remembered(file)).toBe(3);
    feed = items();
    expect(await run(file)).toEqual([]);
    expect(remembered(file)).toBe(3);
    feed = items('c', 'd');
    expect(await run(file)).toEqual(['d']);
    expect(remembered(file)).toBe(2);
    feed = items('a');
    expect(await run(file)).toEqual(['a']);
  });

  it('publishes undelivered items again', async () => {
    const file = newState();
    feed = items('a', 'b');
    expect(await run(file, { publisher: new Undelivering() })).toEqual(['a', 'b']);
    expect(await run(file)).toEqual(['a', 'b']);
    expect(await run(file)).toEqual([]);
  });

  it('neither reads nor writes the state in a preview', async () => {
    const file = newState();
    feed = items('a');
    expect(await run(file, { preview: true })).toEqual(['a']);
    expect(await run(file)).toEqual(['a']);
    expect(await run(file, { preview: true })).toEqual(['a']);
  });

  it('publishes all items in each run if the state is missing or disabled', async () => {
    const file = newState();
    feed = items('a');
    const params = { state: { enabled: false, connectionString: `jdbc:sqlite:${file}` } };
    for (const _ of [1, 2]) expect(await run(file, { params })).toEqual(['a']);
  });

  it('rejects a state in an unsupported database', () => {
    const problems = RSSConnector.check(
      withDefaults(RSSConnector.parameters, {
        rssURL: 'http://h/',
        state: { connectionString: 'jdbc:oracle:thin:@h' },
      }),
    );
    expect([...problems]).toMatchObject([{ parameter: 'state.connectionString' }]);
  });
});
