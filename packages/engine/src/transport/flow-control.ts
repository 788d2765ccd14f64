const STOP = 0;
const HEAD = 1;
const QUEUED_KIB = 2;
const CHANGES = 3;
const INDEXER_KIB = 4;
const CELLS = 5;

/** Batch numbers wrap around at this value: a cell has 32 bits, and an endless source has more batches. */
const ROUND = 2 ** 31;

/** How much finished work, in KiB, may wait for the indexer before pipeline threads pause. */
const MAX_QUEUED_KIB = 16 * 1024;
/** How long a paused thread sleeps at most before it looks again, in milliseconds. */
const LOOK_AGAIN_MILLIS = 100;

/**
 * The state that the threads of a run share without messages, in shared memory: whether to stop, whose turn it is (the
 * number of the batch that the indexer gets next), and how much waits for the indexer.
 * A thread that produces a lot of output from one batch uses it to pause in the middle of its work, so memory stays
 * bounded. The thread whose turn it is pauses only for the indexer, so the threads never wait for each other.
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
   * Publishes whose turn it is and how much waits.
   * @param heldBytes bytes that wait for their turn
   * @param indexerBytes bytes that wait for the indexer
   * @param tooMany whether more documents wait for the indexer than the limit
   */
  set(head: number, heldBytes: number, indexerBytes: number, tooMany: boolean): void {
    Atomics.store(this.#cells, HEAD, head % ROUND);
    // Too many documents are as good a reason to pause as too many bytes.
    const store = (cell: number, bytes: number) => {
      const kib = Math.min(Math.ceil(bytes / 1024), 2 ** 30);
      Atomics.store(this.#cells, cell, tooMany ? Math.max(kib, MAX_QUEUED_KIB + 1) : kib);
    };
    store(QUEUED_KIB, heldBytes + indexerBytes);
    store(INDEXER_KIB, indexerBytes);
    this.#changed();
  }

  /** How many batches are before this one, starting with the one whose turn it is. */
  ahead(sequence: number): number {
    return ((sequence % ROUND) - Atomics.load(this.#cells, HEAD) + ROUND) % ROUND;
  }

  /** Whether so much waits that no new batch should begin. */
  get full(): boolean {
    return Atomics.load(this.#cells, QUEUED_KIB) > MAX_QUEUED_KIB;
  }

  /** Blocks the calling thread until there is space for another part of batch `sequence`, or the run stops. */
  waitForSpace(sequence: number): void {
    for (;;) {
      // Read before the check, so that no later change is missed.
      const changes = Atomics.load(this.#cells, CHANGES);
      if (this.stopped) return;
      // For the thread whose turn it is only the indexer counts, because the parts of the others wait for this thread.
      const cell = this.ahead(sequence) === 0 ? INDEXER_KIB : QUEUED_KIB;
      if (Atomics.load(this.#cells, cell) <= MAX_QUEUED_KIB) return;
      Atomics.wait(this.#cells, CHANGES, changes, LOOK_AGAIN_MILLIS);
    }
  }

  #changed(): void {
    Atomics.add(this.#cells, CHANGES, 1);
    Atomics.notify(this.#cells, CHANGES);
  }
}
