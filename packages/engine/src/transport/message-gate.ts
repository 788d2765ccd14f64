/** Messages that may be on their way before a thread that sends more has to wait. */
const MAX_PENDING = 2000;
/** How long a waiting thread sleeps at most before it looks again, in milliseconds. */
const LOOK_AGAIN_MILLIS = 50;

/**
 * Holds back threads that send faster than is taken: without it, a stage that logs every document, or fails on it, would
 * fill the memory with messages. Shared by all threads of a run; log records and failed documents have one each.
 */
export class MessageGate {
  readonly buffer: SharedArrayBuffer;
  readonly #pending: Int32Array;

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#pending = new Int32Array(buffer);
  }

  /** To be called for each message that is sent; a large one counts as several. */
  enter(messages = 1): void {
    Atomics.add(this.#pending, 0, messages);
  }

  /** To be called for each message that has been taken. */
  leave(messages = 1): void {
    Atomics.sub(this.#pending, 0, messages);
    Atomics.notify(this.#pending, 0);
  }

  /** Blocks the calling thread while too many messages are on their way, unless it is told to stop. */
  wait(stopped: () => boolean): void {
    for (;;) {
      const pending = Atomics.load(this.#pending, 0);
      if (pending <= MAX_PENDING || stopped()) return;
      Atomics.wait(this.#pending, 0, pending, LOOK_AGAIN_MILLIS);
    }
  }
}
