import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readConfigText, SecretMask } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RunJournal } from '../runs/run-journal.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { EVENT_HEADERS, EventStreams } from './event-streams.ts';

/** A response whose client accepts all data until `takes` is false. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  takes = true;
  writableEnded = false;
  destroyed = false;

  setTimeout(): void {}

  #taken = () => {};

  write(bytes: Buffer | string, taken: () => void): void {
    this.written.push(String(bytes));
    if (this.takes) taken();
    else this.#taken = taken;
  }

  /** Accepts the last piece and all later ones. */
  read(): void {
    this.takes = true;
    this.#taken();
  }

  end(bytes: Buffer): void {
    this.written.push(String(bytes));
    this.writableEnded = true;
    this.emit('close');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const limits = { maxStreamsPerUser: 1000, maxStreamsPerRun: 1000 };

function journalOf(state: { published: number }): RunJournal {
  const { root } = readConfigText('a: 1');
  if (root === undefined) throw new Error('no config');
  return new RunJournal('r', new MemoryStore(), new SecretMask(root, true), () => ({ name: 'progress', data: state }));
}

function client(streams: EventStreams, journal: RunJournal): FakeResponse {
  const response = new FakeResponse();
  streams.send(response as unknown as ServerResponse, 'ann', journal);
  return response;
}

const say = (journal: RunJournal, message: string) => journal.logged({ level: 'info', time: 0, logger: 'l', message });

describe('streams of events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('remove a client that has disconnected, and keep nothing without readers', () => {
    const streams = new EventStreams(limits);
    const journal = journalOf({ published: 0 });
    const responses = [client(streams, journal), client(streams, journal)];
    responses[0]?.destroy();
    const { length } = responses[0]?.written ?? [];
    say(journal, 'one');
    vi.advanceTimersByTime(60_000);
    expect(responses[0]?.written).toHaveLength(length);
    expect(responses[1]?.written.join('')).toContain('one');
    responses[1]?.destroy();
    expect(journal.events.watched).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('send the progress at most twice a second, and only if it has changed', () => {
    const state = { published: 0 };
    const { written } = client(new EventStreams(limits), journalOf(state));
    const counted = () => written.join('').match(/event: progress/g)?.length;
    expect(counted()).toBe(1);
    for (let i = 0; i < 100; i++) {
      state.published++;
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(10_000);
    expect(counted()).toBe(3);
    expect(written.join('')).toContain('{"published":100}');
  });

  it('send a heartbeat every 15 seconds', () => {
    const response = client(new EventStreams(limits), journalOf({ published: 0 }));
    vi.advanceTimersByTime(45_000);
    expect(response.written.filter((text) => text === ': alive\n\n')).toHaveLength(3);
  });

  it('wait for a client that does not read, without buffering events for it', () => {
    const journal = journalOf({ published: 0 });
    const response = client(new EventStreams(limits), journal);
    response.takes = false;
    say(journal, 'first');
    vi.advanceTimersByTime(1000);
    const { length } = response.written;
    for (let i = 0; i < 3000; i++) say(journal, `m${i}`);
    vi.advanceTimersByTime(14_000);
    expect(response.written).toHaveLength(length);
    response.read();
    vi.advanceTimersByTime(1000);
    const rest = response.written.slice(length).join('');
    expect(rest).toMatch(/^id: 2001\nevent: gap\ndata: \{"missed":2000\}/);
    expect(rest.match(/event: log/g)).toHaveLength(1000);
    expect(rest).toContain('"m2999"');
  });

  it('serialize an event once for all clients', () => {
    const streams = new EventStreams(limits);
    const journal = journalOf({ published: 0 });
    const responses = Array.from({ length: 1000 }, () => client(streams, journal));
    const after = vi.spyOn(Buffer, 'from');
    say(journal, 'to all');
    vi.advanceTimersByTime(100);
    expect(responses.every(({ written }) => written.at(-1)?.includes('to all'))).toBe(true);
    expect(after.mock.calls.filter(([text]) => String(text).includes('to all'))).toHaveLength(1);
    after.mockRestore();
  });
});

describe('many event streams', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('share the bytes that may be sent per turn, and all receive all events', () => {
    const streams = new EventStreams(limits);
    const journal = journalOf({ published: 0 });
    for (let i = 0; i < 1000; i++) say(journal, `m${i}`.padEnd(200, 'x'));
    const bytesOf = ({ written }: FakeResponse) => written.join('').length;
    const alone = client(streams, journal);
    expect(bytesOf(alone)).toBeGreaterThan(60_000);
    const many = Array.from({ length: 400 }, () => client(streams, journal));
    vi.advanceTimersByTime(100);
    const turn = () => many.reduce((sum, response) => sum + bytesOf(response), 0);
    const before = turn();
    vi.advanceTimersByTime(100);
    expect(turn() - before).toBeLessThan(400 * 9000);
    vi.advanceTimersByTime(10_000);
    expect(many.every(({ written }) => written.join('').includes('"m999x'))).toBe(true);
  });

  it('are refused beyond the limit of a user or a run, until one closes', () => {
    const streams = new EventStreams({ maxStreamsPerUser: 2, maxStreamsPerRun: 3 });
    const [one, other] = [journalOf({ published: 0 }), journalOf({ published: 0 })];
    const open = (user: string, journal: RunJournal) => {
      streams.admit(user, journal);
      const response = new FakeResponse();
      streams.send(response as unknown as ServerResponse, user, journal);
      return response;
    };
    const first = open('ann', one);
    open('ann', other);
    const full = { status: 429, code: 'HR_TOO_MANY_STREAMS', headers: { 'retry-after': '5' } };
    expect(() => open('ann', one)).toThrow(
      expect.objectContaining({ ...full, message: expect.stringContaining('user') }),
    );
    open('bob', one);
    open('bob', one);
    expect(() => open('carl', one)).toThrow(
      expect.objectContaining({ ...full, message: expect.stringContaining('run') }),
    );
    first.destroy();
    open('carl', one);
    open('ann', other);
  });
});

/** A text that does not fit into the buffers of a connection. */
const LONG = JSON.stringify('x'.repeat(32 * 1024 * 1024));

/** Opens a stream over a real connection. The client does not read by itself. */
async function reader(streams: EventStreams, journal: RunJournal): Promise<IncomingMessage> {
  const server = createServer((_request, response) => {
    response.writeHead(200, EVENT_HEADERS);
    streams.send(response, 'ann', journal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const [response] = (await once(get({ port: (server.address() as AddressInfo).port }), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

describe('the end of an event stream', () => {
  afterEach(() => void vi.useRealTimers());

  it('arrives completely at a client that pauses for longer than a heartbeat', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const journal = journalOf({ published: 0 });
    const response = await reader(new EventStreams(limits), journal);
    journal.end(LONG);
    vi.advanceTimersByTime(45_000);
    expect(await text(response)).toMatch(/x"\n\n$/);
    expect(response.complete).toBe(true);
    expect(journal.events.watched).toBe(false);
  });

  it('closes the connection if the client does not read it', async () => {
    const journal = journalOf({ published: 0 });
    const response = await reader(new EventStreams(limits, 100), journal);
    journal.end(LONG);
    await expect.poll(() => journal.events.watched).toBe(false);
    await expect(text(response)).rejects.toThrow('aborted');
  });
});

describe('400 event streams that are never read', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval'] }));
  afterEach(() => void vi.useRealTimers());

  /** Returns a function for polling that first begins the next turn of the streams. */
  const eachTurn =
    <T>(found: () => T) =>
    () => {
      vi.advanceTimersByTime(100);
      return found();
    };

  it('use a few KiB each while other requests are answered, and report missed events when read again', async () => {
    const journal = journalOf({ published: 0 });
    const sayMany = (message: string) => {
      for (let i = 0; i < 1000; i++) say(journal, `${message}${i}`.padEnd(1000, 'x'));
    };
    sayMany('early');
    const streams = new EventStreams({ maxStreamsPerUser: 400, maxStreamsPerRun: 400 });
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/livez') {
        response.end('alive');
        return;
      }
      response.writeHead(200, EVENT_HEADERS);
      responses.push(response);
      streams.send(response, 'ann', journal);
    });
    // The operating system buffers less for a socket in the file system than a run keeps, so streams soon block.
    const path = join(temporaryDirectory(), 'service');
    server.listen(path);
    await once(server, 'listening');
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect(path).pause();
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    });
    const stuck = () => responses.filter(({ writableLength }) => writableLength > 0).length;
    await expect.poll(eachTurn(stuck), { interval: 5 }).toBe(400);
    sayMany('late');
    const [livez] = (await once(get({ socketPath: path, path: '/livez' }), 'response')) as [IncomingMessage];
    expect(await text(livez)).toBe('alive');
    for (const { writableLength } of responses) expect(writableLength).toBeLessThan(12 * 1024);

    const [reads] = sockets as [Socket];
    let all = '';
    reads.setEncoding('utf8').on('data', (data) => {
      all += data;
    });
    reads.resume();
    await expect
      .poll(
        eachTurn(() => all),
        { interval: 5 },
      )
      .toContain('late999x');
    expect(all).toContain('event: gap');
  });
});
