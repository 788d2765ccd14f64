import { RUN_INTERVALS } from './run-intervals.ts';

/**
 * The limits of the events that a run stores for disconnected clients: their number, and the characters of their data.
 */
const MAX_EVENTS = 1000;
const MAX_CHARACTERS = 256 * 1024;
/** How much data a client gets at a time. A client that does not read needs the memory of one such piece. */
export const PIECE_BYTES = 8 * 1024;
/** The maximum number of encoded pieces that are stored for other clients at the same position. */
const MAX_SHARED = 64;

/** The id of the event that ends a stream. */
export const DONE_ID = 'done';

/**
 * The position of a client: the last event that it has read, and the number of states that it has read after this
 * event. States (the progress of the run) have separate numbers, because only the newest state is stored. So states
 * never push events out of the buffer.
 */
export interface EventPlace {
  readonly event: number;
  readonly state: number;
}

export const BEGINNING: EventPlace = { event: 0, state: 0 };

interface RunEvent {
  readonly name: string;
  readonly data: string;
  /** The encoded bytes, created when the first client reads them. */
  frame?: Buffer;
}

/** The events after a position, in the format of Server-Sent Events. */
export interface EventPiece {
  readonly bytes: Buffer;
  readonly place: EventPlace;
  /** Whether this is the end of the stream. */
  readonly ended: boolean;
}

/**
 * The newest events of one run in a buffer, for any number of clients. Each client has a position, and continues from
 * there when it can. A slow client needs the memory of one piece, and is informed about the number of events that it
 * has missed. Events are encoded once for all clients at the same position.
 */
export class RunEvents {
  readonly #kept: RunEvent[] = [];
  /** The number of the newest event. */
  #last = 0;
  #characters = 0;
  #state: (RunEvent & EventPlace) | undefined;
  #done: Buffer | undefined;
  readonly #readers = new Set<() => void>();
  readonly #gatherMillis: number;
  #gathering: NodeJS.Timeout | undefined;
  /**
   * The pieces of the event stream since the last change, by start position. Clients at the same position share them.
   */
  readonly #shared = new Map<string, EventPiece>();

  /** @param gatherMillis how long events are collected before the listeners are called */
  constructor(gatherMillis = RUN_INTERVALS.gather) {
    this.#gatherMillis = gatherMillis;
  }

  /** Whether there are listeners. */
  get watched(): boolean {
    return this.#readers.size > 0;
  }

  get ended(): boolean {
    return this.#done !== undefined;
  }

  /** @param data JSON */
  add(name: string, data: string): void {
    this.#kept.push({ name, data });
    this.#last++;
    this.#characters += data.length;
    while (this.#kept.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#kept.length > 1)) {
      this.#characters -= (this.#kept.shift() as RunEvent).data.length;
    }
    this.#changed();
  }

  /** Replaces the current state of the run. */
  setState(name: string, data: string): void {
    const state = this.#state?.event === this.#last ? this.#state.state + 1 : 1;
    this.#state = { name, data, event: this.#last, state };
    this.#changed();
  }

  /** Adds the last event. */
  end(data: string): void {
    this.#done = frame('done', DONE_ID, data);
    clearTimeout(this.#gathering);
    this.#shared.clear();
    this.#tell();
  }

  /**
   * Adds a listener, which is called when there may be new events. To save calls, several events are collected first.
   * Returns a function that removes the listener.
   */
  onChange(reader: () => void): () => void {
    this.#readers.add(reader);
    return () => {
      this.#readers.delete(reader);
      if (this.watched) return;
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
    };
  }

  /**
   * Returns the next events after a position: a few KiB, or more if a single event is larger. Returns undefined if
   * there are no new events.
   */
  after(from: EventPlace): EventPiece | undefined {
    const key = `${from.event}.${from.state}`;
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    // The position is in the future, so it belongs to another run.
    if (from.event > this.#last) return this.after(BEGINNING);
    const first = this.#last - this.#kept.length + 1;
    const frames: Buffer[] = [];
    let bytes = 0;
    let place = from;
    const put = (frame: Buffer, to: EventPlace) => {
      frames.push(frame);
      bytes += frame.length;
      place = to;
    };
    const state = this.#state;
    const withState = state !== undefined && isBefore(from, state) ? state : undefined;
    // Even if the newest state is older than the stored events, clients need it.
    if (withState !== undefined && withState.event < first - 1) put(stateFrame(withState), from);
    if (from.event < first - 1) {
      const to = { event: first - 1, state: 0 };
      put(frame('gap', String(to.event), JSON.stringify({ missed: to.event - from.event })), to);
    }
    if (withState?.event === place.event) put(stateFrame(withState), withState);
    for (let number = place.event + 1; number <= this.#last && bytes < PIECE_BYTES; number++) {
      const event = this.#kept[number - first] as RunEvent;
      put(framed(event, String(number)), { event: number, state: 0 });
      if (withState?.event === number) put(stateFrame(withState), withState);
    }
    const ended = this.#done !== undefined && place.event === this.#last && bytes < PIECE_BYTES;
    if (ended) frames.push(this.#done as Buffer);
    if (frames.length === 0) return undefined;
    const piece = {
      bytes: frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames),
      place: { event: place.event, state: place.state },
      ended,
    };
    if (this.#shared.size >= MAX_SHARED) this.#shared.clear();
    this.#shared.set(key, piece);
    return piece;
  }

  #changed(): void {
    this.#shared.clear();
    if (!this.watched) return;
    this.#gathering ??= setTimeout(() => this.#tell(), this.#gatherMillis);
  }

  #tell(): void {
    this.#gathering = undefined;
    for (const reader of [...this.#readers]) reader();
  }
}

/** Returns the event that ends a stream. */
export function doneFrame(details: string): Buffer {
  return frame('done', DONE_ID, details);
}

/** Parses the position in an event id. Returns undefined if the text is not an event id. */
export function placeOf(id: string): EventPlace | undefined {
  const numbers = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(id);
  return numbers === null ? undefined : { event: Number(numbers[1]), state: Number(numbers[2] ?? 0) };
}

function stateFrame(event: RunEvent & EventPlace): Buffer {
  return framed(event, `${event.event}.${event.state}`);
}

function framed(event: RunEvent, id: string): Buffer {
  event.frame ??= frame(event.name, id, event.data);
  return event.frame;
}

/**
 * Returns an event in the format of Server-Sent Events. JSON contains no raw line ends, so it fits into one line of
 * data.
 */
function frame(name: string, id: string, data: string): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);
}

function isBefore(a: EventPlace, b: EventPlace): boolean {
  return a.event < b.event || (a.event === b.event && a.state < b.state);
}
