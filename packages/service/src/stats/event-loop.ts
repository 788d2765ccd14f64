import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MILLIS = 20;
const WINDOW_MILLIS = 10_000;
const NANOS = 1e9;
const NOTHING = { mean: 0, p50: 0, p99: 0, max: 0 };

/** How late the event loop was, in seconds. */
export interface LoopDelay {
  mean: number;
  p50: number;
  p99: number;
  max: number;
}

/** Watches how late the event loop is, window by window: what was an hour ago says nothing of now. */
export class EventLoop {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  readonly #timer: NodeJS.Timeout;
  #last: LoopDelay = NOTHING;
  #before: LoopDelay = NOTHING;

  constructor() {
    this.#monitor.enable();
    this.#timer = setInterval(() => this.#turn(), WINDOW_MILLIS).unref();
  }

  /** In the last whole window of ten seconds; nothing before there is one: a start says nothing of what follows. */
  get delay(): LoopDelay {
    return this.#last;
  }

  /** How late it was half of the time, in seconds, in both of the last two windows: a single stall may fill one. */
  get lateness(): number {
    return Math.min(this.#last.p50, this.#before.p50);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#monitor.disable();
  }

  #turn(): void {
    this.#before = this.#last;
    this.#last = read(this.#monitor);
    this.#monitor.reset();
  }
}

function read(monitor: ReturnType<typeof monitorEventLoopDelay>): LoopDelay {
  if (monitor.count === 0) return NOTHING;
  return {
    mean: monitor.mean / NANOS,
    p50: monitor.percentile(50) / NANOS,
    p99: monitor.percentile(99) / NANOS,
    max: monitor.max / NANOS,
  };
}
