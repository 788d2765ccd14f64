/** Messages that may be in transit before a thread that sends more must wait. */
const MAX_PENDING = 2000;
/** How long a waiting thread sleeps at most before it looks again, in milliseconds. */
const LOOK_AGAIN_MILLIS = 50;

/**
 * Slows down threads that send faster than the receiver reads. Without it, a stage that logs every document, or fails
 * on it, would fill the memory with messages. All threads of a run share a gate. Log records and failed documents have
 * one each.
 */
export class MessageGate {
  readonly buffer: SharedArrayBuffer;
  readonly #pending: Int32Array;

  constructor(buffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#pending = new Int32Array(buffer);
  }

  /** Call this for each message that is sent. A large message counts as several. */
  enter(messages = 1): void {
    Atomics.add(this.#pending, 0, messages);
  }

  /** Call this for each message that has been received. */
  leave(messages = 1): void {
    Atomics.sub(this.#pending, 0, messages);
    Atomics.notify(this.#pending, 0);
  }

  /** Blocks the calling thread while too many messages are in transit, unless the run stops. */
  wait(stopped: () => boolean): void {
    for (;;) {
      const pending = Atomics.load(this.#pending, 0);
      if (pending <= MAX_PENDING || stopped()) return;
      Atomics.wait(this.#pending, 0, pending, LOOK_AGAIN_MILLIS);
    }
  }
}
