import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MILLIS = 20;
const WINDOW_MILLIS = 10_000;
const NANOS = 1e9;
const NO_DELAY = { mean: 0, p50: 0, p99: 0, max: 0 };

/** The delay of the event loop, in seconds. */
export interface LoopDelay {
  mean: number;
  p50: number;
  p99: number;
  max: number;
}

/**
 * Measures the delay of the event loop in windows of ten seconds, because old values say nothing about the current
 * state.
 */
export class EventLoop {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  readonly #timer: NodeJS.Timeout;
  #last: LoopDelay = NO_DELAY;
  #before: LoopDelay = NO_DELAY;

  constructor() {
    this.#monitor.enable();
    this.#timer = setInterval(() => this.#turn(), WINDOW_MILLIS).unref();
  }

  /** The delay in the last complete window. Zero before the first window is complete. */
  get delay(): LoopDelay {
    return this.#last;
  }

  /** The median delay in seconds, the lower one of the last two windows: a single stall can fill one window. */
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
  if (monitor.count === 0) return NO_DELAY;
  return {
    mean: monitor.mean / NANOS,
    p50: monitor.percentile(50) / NANOS,
    p99: monitor.percentile(99) / NANOS,
    max: monitor.max / NANOS,
  };
}
