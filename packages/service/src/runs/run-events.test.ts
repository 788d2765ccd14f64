import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BEGINNING, type EventPlace, PIECE_BYTES, placeOf, RunEvents } from './run-events.ts';

/** Returns events as texts in the format `id name data`. */
function read(events: RunEvents, from: EventPlace = BEGINNING): string[] {
  let text = '';
  for (
    let piece = events.after(from);
    piece !== undefined;
    piece = piece.ended ? undefined : events.after(piece.place)
  ) {
    text += piece.bytes.toString();
  }
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => frame.replace(/^id: (.*)\nevent: (.*)\ndata: (.*)$/, '$1 $2 $3'));
}

const place = (id: string) => placeOf(id) as EventPlace;

describe('the events of a run', () => {
  it('can be read from any event on, without losing or repeating an event', () => {
    const events = new RunEvents();
    events.setState('queued', '{"position":1}');
    for (let i = 1; i <= 5; i++) events.add('log', `{"line":${i}}`);
    expect(read(events)).toEqual([
      '0.1 queued {"position":1}',
      ...[1, 2, 3, 4, 5].map((i) => `${i} log {"line":${i}}`),
    ]);
    expect(read(events, place('3'))).toEqual(['4 log {"line":4}', '5 log {"line":5}']);
    expect(read(events, place('5'))).toEqual([]);
    expect(events.after(BEGINNING)?.place).toEqual({ event: 5, state: 0 });
  });

  it('contain only the newest state, at its position', () => {
    const events = new RunEvents();
    events.add('log', '1');
    events.setState('progress', '{"published":1}');
    events.setState('progress', '{"published":2}');
    events.add('log', '2');
    expect(read(events)).toEqual(['1 log 1', '1.2 progress {"published":2}', '2 log 2']);
    expect(read(events, place('1.1'))).toEqual(['1.2 progress {"published":2}', '2 log 2']);
    expect(read(events, place('1.2'))).toEqual(['2 log 2']);
    events.setState('progress', '{"published":3}');
    expect(read(events, place('1.2'))).toEqual(['2 log 2', '2.1 progress {"published":3}']);
  });

  it('are limited in number, and a gap event reports how many are missing', () => {
    const events = new RunEvents();
    for (let i = 1; i <= 1500; i++) events.add('log', String(i));
    expect(read(events, place('100')).slice(0, 2)).toEqual(['500 gap {"missed":400}', '501 log 501']);
    expect(read(events, place('500'))[0]).toBe('501 log 501');
    expect(read(events, place('1499'))).toEqual(['1500 log 1500']);
  });

  it('are limited in total size, but the newest event is always stored', () => {
    const events = new RunEvents();
    for (let i = 0; i < 10; i++) events.add('log', 'x'.repeat(100_000));
    expect(read(events)).toHaveLength(3);
    expect(read(events)[0]).toBe('8 gap {"missed":8}');
    events.add('log', 'y'.repeat(1_000_000));
    expect(read(events).map((text) => text.length)).toEqual(['10 gap {"missed":10}'.length, 1_000_000 + 7]);
  });

  it('end with the details of the run, for every reader and every position', () => {
    const events = new RunEvents();
    events.add('log', '1');
    events.end('{"done":true}');
    expect(read(events)).toEqual(['1 log 1', 'done done {"done":true}']);
    expect(read(events, place('1'))).toEqual(['done done {"done":true}']);
    expect(events.after(place('1'))?.ended).toBe(true);
    // The id is probably from another run.
    expect(read(events, place('77'))).toEqual(['1 log 1', 'done done {"done":true}']);
  });

  it('are encoded once for all readers at the same position', () => {
    const events = new RunEvents();
    events.add('log', '1');
    expect(events.after(BEGINNING)).toBe(events.after({ event: 0, state: 0 }));
  });

  it('are returned in pieces of a few KiB that contain all events', () => {
    const events = new RunEvents();
    events.setState('progress', '{"published":1}');
    for (let i = 1; i <= 100; i++) {
      events.add('log', `"${i} ${'x'.repeat(1000)}"`);
      if (i === 50) events.setState('progress', '{"published":2}');
    }
    events.end('{}');
    let pieces = 0;
    const ids: string[] = [];
    let piece = events.after(BEGINNING);
    for (; piece !== undefined; piece = piece.ended ? undefined : events.after(piece.place)) {
      expect(piece.bytes.length).toBeLessThan(PIECE_BYTES + 1100);
      ids.push(...Array.from(piece.bytes.toString().matchAll(/^id: (.*)$/gm), ([, id]) => id as string));
      pieces++;
    }
    expect(pieces).toBeGreaterThan(10);
    const numbers = Array.from({ length: 100 }, (_, i) => String(i + 1));
    expect(ids).toEqual([...numbers.slice(0, 50), '50.1', ...numbers.slice(50), 'done']);
  });

  it.each(['', 'x', '1.', '.1', '-1', '1e3', '1.2.3', '9'.repeat(16)])('do not accept %j as an id', (id) => {
    expect(placeOf(id)).toBeUndefined();
  });
});

describe('the listeners for events of a run', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are called once for several quick events, and never after their removal', () => {
    const events = new RunEvents();
    let calls = 0;
    const leave = events.onChange(() => calls++);
    for (let i = 0; i < 100; i++) events.add('log', String(i));
    vi.advanceTimersByTime(100);
    expect(calls).toBe(1);
    leave();
    events.add('log', 'x');
    vi.advanceTimersByTime(1000);
    expect(calls).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are called immediately at the end of the run', () => {
    const events = new RunEvents();
    let calls = 0;
    events.onChange(() => calls++);
    events.add('log', '1');
    events.end('{}');
    expect(calls).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
