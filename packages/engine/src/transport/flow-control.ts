const STOP = 0;
const HEAD = 1;
const QUEUED_KIB = 2;
const CHANGES = 3;
const INDEXER_KIB = 4;
const TRANSIT_KIB = 5;
const CELLS = 6;

/** Batch numbers restart at this value. A cell has 32 bits, and an endless source has more batches. */
const ROUND = 2 ** 31;

/** The maximum finished work in KiB that waits for the indexer. Above it, pipeline threads pause. */
const MAX_QUEUED_KIB = 4 * 1024;
/** The maximum sleep of a paused thread in milliseconds before it checks again. */
const LOOK_AGAIN_MILLIS = 100;

/**
 * The shared state of the threads of a run, in shared memory and without messages. It says whether to stop, which batch
 * the indexer gets next, and how much work waits for the indexer.
 * A thread that produces a lot of output from one batch checks this state and pauses in the middle of its work, so
 * memory use is limited. The thread with the next batch only pauses for the indexer, so the threads cannot block each
 * other.
 */
export class FlowControl {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  get stopped(): boolean {
    return Atomics.load(this.#cells, STOP) === 1;
  }

  stop(): void {
    Atomics.store(this.#cells, STOP, 1);
    this.#changed();
  }

  /**
   * Publishes the number of the next batch and the amount of waiting work.
   * @param heldBytes the bytes that wait for earlier batches
   * @param indexerBytes the bytes that wait for the indexer
   * @param tooMany true if more documents wait for the indexer than the limit allows
   */
  set(head: number, heldBytes: number, indexerBytes: number, tooMany: boolean): void {
    Atomics.store(this.#cells, HEAD, head % ROUND);
    // Too many documents cause a pause in the same way as too many bytes.
    const store = (cell: number, bytes: number): number => {
      const kib = Math.min(kibOf(bytes), 2 ** 30);
      return Atomics.store(this.#cells, cell, tooMany ? Math.max(kib, MAX_QUEUED_KIB + 1) : kib);
    };
    store(QUEUED_KIB, heldBytes + indexerBytes);
    // Otherwise no thread can continue, and to wake it after each request would only take time.
    if (store(INDEXER_KIB, indexerBytes) <= MAX_QUEUED_KIB) this.#changed();
  }

  /** Returns the number of unfinished batches before this one. 0 means that this batch is next. */
  ahead(sequence: number): number {
    return ((sequence % ROUND) - Atomics.load(this.#cells, HEAD) + ROUND) % ROUND;
  }

  /** True if so much work waits that no thread should start a new batch. */
  get full(): boolean {
    return Atomics.load(this.#cells, QUEUED_KIB) > MAX_QUEUED_KIB;
  }

  /** Counts bytes that a thread has posted to the thread of the run. */
  sent(bytes: number): void {
    Atomics.add(this.#cells, TRANSIT_KIB, kibOf(bytes));
  }

  /** Counts bytes that the thread of the run has received. They then count as waiting work. */
  received(bytes: number): void {
    Atomics.sub(this.#cells, TRANSIT_KIB, kibOf(bytes));
  }

  /** Does the same as `waitForSpace`, and also waits for work that the thread of the run has not received yet. */
  waitForDelivery(sequence: number): void {
    for (;;) {
      const changes = Atomics.load(this.#cells, CHANGES);
      if (this.stopped) return;
      const transit = Atomics.load(this.#cells, TRANSIT_KIB);
      if (transit <= MAX_QUEUED_KIB && this.#hasSpace(sequence)) return;
      Atomics.wait(this.#cells, CHANGES, changes, LOOK_AGAIN_MILLIS);
    }
  }

  /** Blocks the calling thread until there is space for another part of batch `sequence`, or until the run stops. */
  waitForSpace(sequence: number): void {
    for (;;) {
      // The counter is read before the check. Otherwise a change between the check and the wait would be missed.
      const changes = Atomics.load(this.#cells, CHANGES);
      if (this.stopped) return;
      if (this.#hasSpace(sequence)) return;
      Atomics.wait(this.#cells, CHANGES, changes, LOOK_AGAIN_MILLIS);
    }
  }

  #hasSpace(sequence: number): boolean {
    // Parts of later batches wait for the thread with the next batch. So this thread only waits for the indexer.
    const cell = this.ahead(sequence) === 0 ? INDEXER_KIB : QUEUED_KIB;
    return Atomics.load(this.#cells, cell) <= MAX_QUEUED_KIB;
  }

  #changed(): void {
    Atomics.add(this.#cells, CHANGES, 1);
    Atomics.notify(this.#cells, CHANGES);
  }
}

function kibOf(bytes: number): number {
  return Math.ceil(bytes / 1024);
}
