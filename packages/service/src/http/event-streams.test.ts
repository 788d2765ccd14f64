import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { readConfigText, SecretMask } from '@headrace/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunJournal } from '../runs/run-journal.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { EventStreams } from './event-streams.ts';

/** A client that takes what it is given, until it does not. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  takes = true;
  writableEnded = false;
  destroyed = false;

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

  it('wait for a client that does not read, without keeping anything for it, and give it up in the end', () => {
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
    response.takes = false;
    say(journal, 'last');
    vi.advanceTimersByTime(80_000);
    expect(response.destroyed).toBe(true);
    expect(journal.events.watched).toBe(false);
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
