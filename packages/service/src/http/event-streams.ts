import type { ServerResponse } from 'node:http';
import { BEGINNING, type EventPlace } from '../runs/run-events.ts';
import type { WatchedRun } from '../runs/run-journals.ts';

/** How often a stream says that it is there: proxies close what is silent, often after a minute. */
const HEARTBEAT_MILLIS = 15_000;
const HEARTBEAT = ': alive\n\n';
/** A client that has taken nothing for so long is given up. */
const STUCK_MILLIS = 60_000;

/** The headers of a stream of events: nobody on the way is to keep it, or to gather it. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** The streams of events that clients read at present. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #stuckMillis: number;
  #ticker: NodeJS.Timeout | undefined;

  /** @param stuckMillis how long a client may take nothing of what there is for it */
  constructor(stuckMillis = STUCK_MILLIS) {
    this.#stuckMillis = stuckMillis;
  }

  /** Sends the events of a run from a place on, until the run is done or the client goes away. */
  send(response: ServerResponse, run: WatchedRun, from: EventPlace = BEGINNING): void {
    // It may have gone while its request was looked at.
    if (response.destroyed) return;
    const stream = new EventStream(response, run, from);
    this.#open.add(stream);
    // Each byte that goes out begins the time anew, the heartbeats too; it is the same behind the end.
    response.setTimeout(this.#stuckMillis, () => response.destroy());
    this.#ticker ??= setInterval(() => this.#beat(), HEARTBEAT_MILLIS).unref();
    response.once('close', () => {
      stream.leave();
      this.#open.delete(stream);
      if (this.#open.size > 0) return;
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    });
    stream.pump();
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
  }
}

/** One client. It is given what it takes: while it does not, it keeps nothing but its place. */
class EventStream {
  readonly leave: () => void;
  readonly #response: ServerResponse;
  readonly #run: WatchedRun;
  #place: EventPlace;
  /** It has not taken yet what was written last. */
  #stuck = false;

  constructor(response: ServerResponse, run: WatchedRun, from: EventPlace) {
    this.#response = response;
    this.#run = run;
    this.#place = from;
    response.on('drain', () => {
      this.#stuck = false;
      this.pump();
    });
    // A client that goes away in the middle of a write is no error of anybody.
    response.on('error', () => response.destroy());
    this.leave = run.watch(() => this.pump());
  }

  pump(): void {
    const response = this.#response;
    if (this.#stuck || response.writableEnded || response.destroyed) return;
    const piece = this.#run.events.after(this.#place);
    if (piece === undefined) return;
    this.#place = piece.place;
    if (piece.ended) response.end(piece.bytes);
    else this.#stuck = !response.write(piece.bytes);
  }

  /** Says that the stream is there, unless the client has enough to read without that. */
  beat(): void {
    if (this.#stuck || this.#response.writableEnded) return;
    this.#stuck = !this.#response.write(HEARTBEAT);
  }
}
