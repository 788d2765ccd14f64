/** Events that a run keeps for those who were away, and characters of their data. */
const MAX_EVENTS = 1000;
const MAX_CHARACTERS = 256 * 1024;
/** How long events gather before they are told together. */
const GATHER_MILLIS = 100;

/** The id of the event that ends a stream. */
export const DONE_ID = 'done';

/**
 * How far somebody has read: the event of this number, and the state that came so many after it. States (how far the
 * run is) have numbers of their own, because only the newest is kept: none of them pushes an event out.
 */
export interface EventPlace {
  readonly event: number;
  readonly state: number;
}

export const BEGINNING: EventPlace = { event: 0, state: 0 };

interface RunEvent {
  readonly name: string;
  readonly data: string;
}

/** What comes after a place, in the form of Server-Sent Events. */
export interface EventPiece {
  readonly bytes: Buffer;
  readonly place: EventPlace;
  /** Nothing comes after it. */
  readonly ended: boolean;
}

/**
 * The events of one run, the newest of them in a buffer, for any number of clients. Each client keeps its place and
 * reads on from there when it can: a slow one costs no memory, and learns what it has missed. Clients at the same
 * place share the bytes.
 */
export class RunEvents {
  readonly #kept: RunEvent[] = [];
  /** The number of the newest event. */
  #last = 0;
  #characters = 0;
  #state: (RunEvent & EventPlace) | undefined;
  #done: string | undefined;
  readonly #readers = new Set<() => void>();
  #gathering: NodeJS.Timeout | undefined;
  /** What was read last. */
  #shared: { readonly from: EventPlace; readonly piece: EventPiece } | undefined;

  /** Whether somebody reads. */
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

  /** Says how far the run is; what was said before is forgotten. */
  setState(name: string, data: string): void {
    const state = this.#state?.event === this.#last ? this.#state.state + 1 : 1;
    this.#state = { name, data, event: this.#last, state };
    this.#changed();
  }

  /** The last event. */
  end(data: string): void {
    this.#done = data;
    clearTimeout(this.#gathering);
    this.#shared = undefined;
    this.#tell();
  }

  /** Calls back when there may be something to read; not at once, and not for every event. Gives what ends that. */
  onChange(reader: () => void): () => void {
    this.#readers.add(reader);
    return () => {
      this.#readers.delete(reader);
      if (this.watched) return;
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
    };
  }

  /** All that there is after a place; undefined when there is nothing. */
  after(from: EventPlace): EventPiece | undefined {
    const shared = this.#shared;
    if (shared !== undefined && shared.from.event === from.event && shared.from.state === from.state) {
      return shared.piece;
    }
    // A place that is not reached yet is none of this run.
    if (from.event > this.#last) return this.after(BEGINNING);
    const first = this.#last - this.#kept.length + 1;
    let text = '';
    let place = from;
    if (from.event < first - 1) {
      place = { event: first - 1, state: 0 };
      text += frame('gap', String(place.event), JSON.stringify({ missed: first - 1 - from.event }));
    }
    const state = this.#state;
    const withState = state !== undefined && isBefore(from, state) ? state : undefined;
    if (withState?.event === place.event) text += stateFrame(withState);
    for (let number = place.event + 1; number <= this.#last; number++) {
      const { name, data } = this.#kept[number - first] as RunEvent;
      text += frame(name, String(number), data);
      if (withState?.event === number) text += stateFrame(withState);
    }
    // A state that is older than all that is kept is the newest there is, all the same.
    if (withState !== undefined && withState.event < place.event) text = stateFrame(withState) + text;
    if (this.#done !== undefined) text += doneFrame(this.#done);
    if (text === '') return undefined;
    place = { event: this.#last, state: state?.event === this.#last ? state.state : 0 };
    const piece = { bytes: Buffer.from(text), place, ended: this.ended };
    this.#shared = { from, piece };
    return piece;
  }

  #changed(): void {
    this.#shared = undefined;
    if (!this.watched) return;
    this.#gathering ??= setTimeout(() => this.#tell(), GATHER_MILLIS);
  }

  #tell(): void {
    this.#gathering = undefined;
    for (const reader of [...this.#readers]) reader();
  }
}

/** The event that ends a stream. */
export function doneFrame(details: string): string {
  return frame('done', DONE_ID, details);
}

/** The place that the id of an event means; undefined for a text that is no id. */
export function placeOf(id: string): EventPlace | undefined {
  const numbers = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(id);
  return numbers === null ? undefined : { event: Number(numbers[1]), state: Number(numbers[2] ?? 0) };
}

function stateFrame({ name, data, event, state }: RunEvent & EventPlace): string {
  return frame(name, `${event}.${state}`, data);
}

/** JSON has no line ends, so that it is one line of data. */
function frame(name: string, id: string, data: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

function isBefore(a: EventPlace, b: EventPlace): boolean {
  return a.event < b.event || (a.event === b.event && a.state < b.state);
}
