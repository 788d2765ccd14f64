import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { IdleLanes } from './idle-lanes.ts';
import type { FromRun, ThreadData, ToRun } from './thread-messages.ts';

/** The thread of a run, as the process controls it: a `Worker`, or a `LocalThread`. */
export interface RunThread {
  /** How long the thread computes. Undefined for a thread that cannot be ended. */
  readonly performance?: Pick<Worker['performance'], 'eventLoopUtilization'>;
  postMessage(message: ToRun): void;
  on(event: 'message', listener: (message: FromRun) => void): this;
  on(event: 'error', listener: (error: unknown) => void): this;
  once(event: 'error', listener: (error: unknown) => void): this;
  once(event: 'exit', listener: () => void): this;
  off(event: 'message', listener: (message: FromRun) => void): this;
  off(event: 'error', listener: (error: unknown) => void): this;
  off(event: 'exit', listener: () => void): this;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** The process, as the thread of a run sees it: a `MessagePort`, or a `LocalThread`. */
export interface RunPort {
  postMessage(message: FromRun): void;
  on(event: 'message', listener: (message: ToRun) => void): unknown;
}

/** Longer than any run. */
const FOREVER_MILLIS = 2 ** 31 - 1;

/**
 * Serves a run in the thread of its caller, where the others have a thread each. Each thread takes 25 MiB, because it
 * loads the same code again. An exception that is not caught fails all such runs of the process. It cannot be ended:
 * after `terminate`, only its answers are ignored.
 */
export class LocalThread extends EventEmitter implements RunThread {
  readonly #idle: IdleLanes;
  readonly #port = new EventEmitter<{ message: [ToRun] }>();
  readonly #ready: Promise<void>;
  /** Keeps the process alive, as a thread does. */
  readonly #alive = setInterval(() => undefined, FOREVER_MILLIS);
  #isEnded = false;

  constructor(data: ThreadData) {
    super();
    this.#idle = new IdleLanes(data);
    for (let i = 0; i < data.lanes; i++) this.#idle.warm();
    this.#ready = this.#serve(data);
    process.on('uncaughtException', this.#fail);
  }

  postMessage(message: ToRun): void {
    // A copy, because a thread gets a copy too.
    const copy = structuredClone(message);
    void this.#ready.then(() => this.#port.emit('message', copy));
  }

  ref(): void {
    this.#alive.ref();
  }

  unref(): void {
    this.#alive.unref();
  }

  async terminate(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#alive);
    process.off('uncaughtException', this.#fail);
    await this.#idle.close();
    this.emit('exit');
  }

  async #serve(data: ThreadData): Promise<void> {
    try {
      const { serveRun } = await import('./serve-run.ts');
      const port: RunPort = {
        // Immediately, because the run may block this thread until its messages have been received.
        postMessage: (message) => {
          if (!this.#isEnded) this.emit('message', structuredClone(message));
        },
        on: (event, listener) => this.#port.on(event, listener),
      };
      serveRun(port, data, this.#idle);
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #fail = (error: unknown): void => {
    this.emit('error', error);
  };
}
