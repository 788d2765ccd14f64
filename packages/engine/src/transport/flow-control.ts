const STOP = 0;
const HEAD = 1;
const QUEUED_KIB = 2;
const CHANGES = 3;
const CELLS = 4;

/** How much finished work, in KiB, may wait for the indexer before pipeline threads pause. */
const MAX_QUEUED_KIB = 16 * 1024;
/** How long a paused thread sleeps at most before it looks again, in milliseconds. */
const LOOK_AGAIN_MILLIS = 100;

/**
 * What the threads of a run tell each other without messages, in shared memory: whether to stop, whose turn it
 * is (the number of the batch that the indexer gets next), and how much waits for the indexer. A thread that
 * makes much of one batch pauses by it in the middle of its work, so memory stays bounded; the thread whose
 * turn it is pauses only for the indexer, so that nobody waits for ever.
 */
export class FlowControl {
  readonly buffer: SharedArrayBuffer;
  private readonly cells: Int32Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.cells = new Int32Array(buffer);
  }

  get stopped(): boolean {
    return Atomics.load(this.cells, STOP) === 1;
  }

  stop(): void {
    Atomics.store(this.cells, STOP, 1);
    this.changed();
  }

  /**
   * Tells whose turn it is and how much waits (everything: for its turn, and for the indexer).
   * @param tooMany whether more documents wait than may
   */
  set(head: number, queuedBytes: number, tooMany: boolean): void {
    Atomics.store(this.cells, HEAD, head % 2 ** 31);
    const kib = Math.min(Math.ceil(queuedBytes / 1024), 2 ** 30);
    // Too many documents are as good a reason to pause as too many bytes.
    Atomics.store(this.cells, QUEUED_KIB, tooMany ? Math.max(kib, MAX_QUEUED_KIB + 1) : kib);
    this.changed();
  }

  /** The number of the batch whose turn it is. */
  get head(): number {
    return Atomics.load(this.cells, HEAD);
  }

  /** Whether so much waits that no new batch is to be begun. */
  get full(): boolean {
    return Atomics.load(this.cells, QUEUED_KIB) > MAX_QUEUED_KIB;
  }

  /** Blocks the calling thread until there is room for another part of batch `sequence`, or the run stops. */
  waitForRoom(sequence: number): void {
    while (!this.stopped && this.full) {
      // The thread whose turn it is may always hand over a part when nothing but the others' parts is in the way.
      const limit = Atomics.load(this.cells, HEAD) === sequence % 2 ** 31 ? 4 * MAX_QUEUED_KIB : MAX_QUEUED_KIB;
      if (Atomics.load(this.cells, QUEUED_KIB) <= limit) return;
      Atomics.wait(this.cells, CHANGES, Atomics.load(this.cells, CHANGES), LOOK_AGAIN_MILLIS);
    }
  }

  private changed(): void {
    Atomics.add(this.cells, CHANGES, 1);
    Atomics.notify(this.cells, CHANGES);
  }
}
