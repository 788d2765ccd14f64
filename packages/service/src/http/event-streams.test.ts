import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readConfigText, SecretMask } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RunJournal } from '../runs/run-journal.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { EVENT_HEADERS, EventStreams } from './event-streams.ts';

/** A client that takes what it is given, until it does not. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  takes = true;
  writableEnded = false;
  destroyed = false;

  setTimeout(): void {}

  write(bytes: Buffer | string): boolean {
    this.written.push(String(bytes));
    return this.takes;
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

function journalOf(state: { published: number }): RunJournal {
  const { root } = readConfigText('a: 1');
  if (root === undefined) throw new Error('no config');
  return new RunJournal('r', new MemoryStore(), new SecretMask(root, true), () => ({ name: 'progress', data: state }));
}

function client(streams: EventStreams, journal: RunJournal): FakeResponse {
  const response = new FakeResponse();
  streams.send(response as unknown as ServerResponse, journal);
  return response;
}

const say = (journal: RunJournal, message: string) => journal.logged({ level: 'info', time: 0, logger: 'l', message });

describe('streams of events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('forget a client that has gone, and leave nothing behind when nobody reads', () => {
    const streams = new EventStreams();
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

  it('tell how far the run is twice a second at most, and only what is new', () => {
    const state = { published: 0 };
    const { written } = client(new EventStreams(), journalOf(state));
    const told = () => written.join('').match(/event: progress/g)?.length;
    expect(told()).toBe(1);
    for (let i = 0; i < 100; i++) {
      state.published++;
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(10_000);
    expect(told()).toBe(3);
    expect(written.join('')).toContain('{"published":100}');
  });

  it('say that they are there', () => {
    const response = client(new EventStreams(), journalOf({ published: 0 }));
    vi.advanceTimersByTime(45_000);
    expect(response.written.filter((text) => text === ': alive\n\n')).toHaveLength(3);
  });

  it('wait for a client that does not read, without keeping anything for it', () => {
    const journal = journalOf({ published: 0 });
    const response = client(new EventStreams(), journal);
    response.takes = false;
    say(journal, 'first');
    vi.advanceTimersByTime(1000);
    const { length } = response.written;
    for (let i = 0; i < 3000; i++) say(journal, `m${i}`);
    vi.advanceTimersByTime(14_000);
    expect(response.written).toHaveLength(length);
    response.takes = true;
    response.emit('drain');
    expect(response.written).toHaveLength(length + 1);
    expect(response.written.at(-1)).toContain('event: gap\ndata: {"missed":2000}');
    expect(response.written.at(-1)).toContain('"m2999"');
  });

  it('give all clients the same bytes', () => {
    const streams = new EventStreams();
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

/** More than the buffers of a connection hold. */
const LONG = JSON.stringify('x'.repeat(32 * 1024 * 1024));

/** A client over a connection, which reads nothing by itself. */
async function reader(streams: EventStreams, journal: RunJournal): Promise<IncomingMessage> {
  const server = createServer((_request, response) => {
    response.writeHead(200, EVENT_HEADERS);
    streams.send(response, journal);
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

describe('the end of a stream', () => {
  afterEach(() => void vi.useRealTimers());

  it('comes whole to a client that pauses for longer than a heartbeat', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const journal = journalOf({ published: 0 });
    const response = await reader(new EventStreams(), journal);
    journal.end(LONG);
    vi.advanceTimersByTime(45_000);
    expect(await text(response)).toMatch(/x"\n\n$/);
    expect(response.complete).toBe(true);
    expect(journal.events.watched).toBe(false);
  });

  it('is not waited for when a client reads nothing of it', async () => {
    const journal = journalOf({ published: 0 });
    const response = await reader(new EventStreams(100), journal);
    journal.end(LONG);
    await expect.poll(() => journal.events.watched).toBe(false);
    await expect(text(response)).rejects.toThrow('aborted');
  });
});
