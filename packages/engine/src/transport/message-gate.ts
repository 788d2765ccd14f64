/** The maximum number of messages in transit. Above it, sending threads wait. */
const MAX_PENDING = 2000;
/** The maximum sleep of a waiting thread in milliseconds before it checks again. */
const LOOK_AGAIN_MILLIS = 50;

/**
 * Slows down threads that send messages faster than the receiver reads them. Otherwise, a stage that logs or fails on
 * every document would fill the memory with messages. All threads of a run share one gate for log records and one gate
 * for failed documents.
 */
export class MessageGate {
  readonly buffer: SharedArrayBuffer;
  readonly #pending: Int32Array;

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#pending = new Int32Array(buffer);
  }

  /** Counts a sent message. A large message counts as several messages. */
  enter(messages = 1): void {
    Atomics.add(this.#pending, 0, messages);
  }

  /** Counts a received message. */
  leave(messages = 1): void {
    Atomics.sub(this.#pending, 0, messages);
    Atomics.notify(this.#pending, 0);
  }

  /** Blocks the calling thread while too many messages are in transit. Returns if the run stops. */
  wait(stopped: () => boolean): void {
    for (;;) {
      const pending = Atomics.load(this.#pending, 0);
      if (pending <= MAX_PENDING || stopped()) return;
      Atomics.wait(this.#pending, 0, pending, LOOK_AGAIN_MILLIS);
    }
  }
}
