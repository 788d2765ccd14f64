import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors/api-error.ts';
import { BEGINNING, type EventPlace, PIECE_BYTES } from '../runs/run-events.ts';
import type { WatchedRun } from '../runs/run-journals.ts';
import type { Limits } from '../settings/service-settings.ts';

/** How often a stream says that it is there: proxies close what is silent, often after a minute. */
const HEARTBEAT_MILLIS = 15_000;
const HEARTBEAT = ': alive\n\n';
/** A client that has taken nothing for so long is given up. */
const STUCK_MILLIS = 60_000;
/**
 * What all streams together may send in a turn, and one of them. The operating system takes megabytes for a client that
 * does not read; without a bound, copying them would keep the service from everything else.
 */
const TURN_MILLIS = 100;
const TURN_BYTES = 1024 * 1024;
const STREAM_TURN_BYTES = 64 * 1024;

/** The headers of a stream of events: no proxy may store or buffer it. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

type StreamLimits = Pick<Limits, 'maxStreamsPerUser' | 'maxStreamsPerRun'>;

/** The streams of events that clients read at present. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #limits: StreamLimits;
  readonly #stuckMillis: number;
  readonly #ofUser = new Map<string, number>();
  readonly #ofRun = new Map<WatchedRun['events'], number>();
  #timers: NodeJS.Timeout[] = [];

  /** @param stuckMillis how long a client may take nothing of what there is for it */
  constructor(limits: StreamLimits, stuckMillis = STUCK_MILLIS) {
    this.#limits = limits;
    this.#stuckMillis = stuckMillis;
  }

  /** Throws an `ApiError` if the user, or the run, has as many streams as may be open. */
  admit(user: string, { events }: WatchedRun): void {
    const { maxStreamsPerUser, maxStreamsPerRun } = this.#limits;
    const refuse = (whose: string, most: number, limit: string) => {
      throw new ApiError('HR_TOO_MANY_STREAMS', `This ${whose} has ${most} open event streams, which is the limit`, {
        hint: `Close an unused one, or raise limits.${limit} in the service file.`,
        headers: { 'retry-after': '5' },
      });
    };
    if ((this.#ofUser.get(user) ?? 0) >= maxStreamsPerUser) refuse('user', maxStreamsPerUser, 'maxStreamsPerUser');
    if ((this.#ofRun.get(events) ?? 0) >= maxStreamsPerRun) refuse('run', maxStreamsPerRun, 'maxStreamsPerRun');
  }

  /** Sends the events of a run from a place on, until the run is done or the client goes away. */
  send(response: ServerResponse, user: string, run: WatchedRun, from: EventPlace = BEGINNING): void {
    // It may have gone while its request was looked at.
    if (response.destroyed) return;
    const stream = new EventStream(response, run, from, () => this.#allowance());
    this.#open.add(stream);
    count(this.#ofUser, user, 1);
    count(this.#ofRun, run.events, 1);
    // Each byte that is sent restarts the time, including heartbeats. It is the same after the end.
    response.setTimeout(this.#stuckMillis, () => response.destroy());
    if (this.#timers.length === 0) this.#startTimers();
    response.once('close', () => {
      stream.leave();
      this.#open.delete(stream);
      count(this.#ofUser, user, -1);
      count(this.#ofRun, run.events, -1);
      if (this.#open.size > 0) return;
      for (const timer of this.#timers.splice(0)) clearInterval(timer);
    });
    stream.pump();
  }

  #startTimers(): void {
    this.#timers = [
      setInterval(() => {
        for (const stream of this.#open) stream.beat();
      }, HEARTBEAT_MILLIS).unref(),
      setInterval(() => {
        for (const stream of this.#open) stream.beginTurn();
      }, TURN_MILLIS).unref(),
    ];
  }

  #allowance(): number {
    return Math.min(STREAM_TURN_BYTES, Math.max(PIECE_BYTES, TURN_BYTES / this.#open.size));
  }
}

/**
 * One client. It gets a piece, and the next one when the operating system has taken that: a client that does not read
 * keeps one piece and its place, and learns with a `gap` what it has missed.
 */
class EventStream {
  readonly leave: () => void;
  readonly #response: ServerResponse;
  readonly #run: WatchedRun;
  /** How many bytes it may send in this turn. */
  readonly #allowance: () => number;
  #place: EventPlace;
  #sentInTurn = 0;
  #isLate = false;
  /** It has not taken yet what was written last. */
  #isStuck = false;

  constructor(response: ServerResponse, run: WatchedRun, from: EventPlace, allowance: () => number) {
    this.#response = response;
    this.#run = run;
    this.#place = from;
    this.#allowance = allowance;
    // A client that goes away in the middle of a write is no error of anybody.
    response.on('error', () => response.destroy());
    this.leave = run.watch(() => this.pump());
  }

  pump(): void {
    const response = this.#response;
    if (this.#isStuck || response.writableEnded || response.destroyed) return;
    this.#isLate = this.#sentInTurn >= this.#allowance();
    if (this.#isLate) return;
    const piece = this.#run.events.after(this.#place);
    if (piece === undefined) return;
    this.#place = piece.place;
    this.#sentInTurn += piece.bytes.length;
    if (piece.ended) response.end(piece.bytes);
    else this.#write(piece.bytes);
  }

  /** A new turn: it may send again. */
  beginTurn(): void {
    this.#sentInTurn = 0;
    if (this.#isLate) this.pump();
  }

  /** Says that the stream is there, unless the client has enough to read without that. */
  beat(): void {
    if (!this.#isStuck && !this.#response.writableEnded) this.#write(HEARTBEAT);
  }

  #write(bytes: Buffer | string): void {
    this.#isStuck = true;
    this.#response.write(bytes, () => {
      this.#isStuck = false;
      this.pump();
    });
  }
}

function count<K>(counts: Map<K, number>, key: K, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
