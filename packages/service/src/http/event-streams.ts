import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors/api-error.ts';
import { BEGINNING, type EventPlace, PIECE_BYTES } from '../runs/run-events.ts';
import type { WatchedRun } from '../runs/run-journals.ts';
import type { Limits } from '../settings/service-settings.ts';

/** The interval of heartbeats. Proxies close silent connections, often after a minute. */
const HEARTBEAT_MILLIS = 15_000;
const HEARTBEAT = ': alive\n\n';
/** A client that has read nothing for this time is disconnected. */
const STUCK_MILLIS = 60_000;
/**
 * The time of a turn, and how many bytes all streams together may send in it. The operating system accepts megabytes
 * for a client that does not read. Without a limit, copying them would block the service.
 */
const TURN_MILLIS = 100;
const TURN_BYTES = 1024 * 1024;
const STREAM_TURN_BYTES = 64 * 1024;

/** The headers of an event stream. They forbid proxies to store or buffer it. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

type StreamLimits = Pick<Limits, 'maxStreamsPerUser' | 'maxStreamsPerRun'>;

/** The open event streams of all clients. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #limits: StreamLimits;
  readonly #stuckMillis: number;
  readonly #ofUser = new Map<string, number>();
  readonly #ofRun = new Map<WatchedRun['events'], number>();
  #timers: NodeJS.Timeout[] = [];

  /** @param stuckMillis how long a client may read nothing before it is disconnected */
  constructor(limits: StreamLimits, stuckMillis = STUCK_MILLIS) {
    this.#limits = limits;
    this.#stuckMillis = stuckMillis;
  }

  /** Throws an `ApiError` if the user or the run has the maximum number of open streams. */
  admit(user: string, { events }: WatchedRun): void {
    const { maxStreamsPerUser, maxStreamsPerRun } = this.#limits;
    const refuse = (whose: string, most: number, limit: string) => {
      throw new ApiError('HR_TOO_MANY_STREAMS', `This ${whose} has ${most} open event streams, which is the limit`, {
        hint: `Close an unused stream, or raise limits.${limit} in the service file.`,
        headers: { 'retry-after': '5' },
      });
    };
    if ((this.#ofUser.get(user) ?? 0) >= maxStreamsPerUser) refuse('user', maxStreamsPerUser, 'maxStreamsPerUser');
    if ((this.#ofRun.get(events) ?? 0) >= maxStreamsPerRun) refuse('run', maxStreamsPerRun, 'maxStreamsPerRun');
  }

  /** Sends the events of a run from a position, until the run is done or the client disconnects. */
  send(response: ServerResponse, user: string, run: WatchedRun, from: EventPlace = BEGINNING): void {
    // The client may have disconnected while the service handled its request.
    if (response.destroyed) return;
    const stream = new EventStream(response, run, from, () => this.#allowance());
    this.#open.add(stream);
    count(this.#ofUser, user, 1);
    count(this.#ofRun, run.events, 1);
    // Each byte that is sent restarts this timeout, including heartbeats and bytes after the end of the run.
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
 * The stream of one client. It gets the next piece when the operating system has accepted the previous one. A client
 * that does not read needs the memory of only one piece, and its position. A `gap` event reports what it has missed.
 */
class EventStream {
  readonly leave: () => void;
  readonly #response: ServerResponse;
  readonly #run: WatchedRun;
  /** Returns how many bytes the stream may send in this turn. */
  readonly #allowance: () => number;
  #place: EventPlace;
  #sentInTurn = 0;
  #isLate = false;
  /** Whether the client has not yet accepted the last piece. */
  #isStuck = false;

  constructor(response: ServerResponse, run: WatchedRun, from: EventPlace, allowance: () => number) {
    this.#response = response;
    this.#run = run;
    this.#place = from;
    this.#allowance = allowance;
    // Ignore the error of a client that disconnects during a write.
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

  /** Starts a new turn, in which the stream may send again. */
  beginTurn(): void {
    this.#sentInTurn = 0;
    if (this.#isLate) this.pump();
  }

  /** Sends a heartbeat, unless the client still has unread data. */
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
