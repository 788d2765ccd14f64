import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { defaultMemoryMb } from './machine-memory.ts';

/** The key of the shared memory. Threads inherit it. */
const LEDGER = 'headrace:memory';

/** The first four cells are the limits. This one is the number of the thread that has the reserve, or 0. */
const RESERVE = 4;
/** The number of entries that have been used. */
const ENTRIES = 5;
const HEADER = 8;

/** The cells of an entry. Threads and runs are numbers of threads plus 1, so that 0 means none. */
const THREAD = 0;
const RUN = 1;
const TAKEN = 2;
const ENTRY = 3;
const MAX_ENTRIES = 4096;

/** The limits in KiB. */
export interface MemoryLimits {
  /** All threads of the process together, without the reserve. */
  readonly process: number;
  readonly run: number;
  readonly thread: number;
  /** One document. The reserve is as large. */
  readonly document: number;
}

/**
 * Divides the memory for large values. Half of it is the reserve: one thread at a time may use it for its first
 * document, if the other half is taken. So there is always a document that can finish, and it has enough memory for
 * the largest document. A run may take three quarters of the other half, so one run that waits for its destination
 * leaves memory for other runs.
 */
export function memoryLimits(megabytes: number): MemoryLimits {
  const document = Math.floor((megabytes * 1024) / 2);
  const all = document;
  const run = Math.floor(all * 0.75);
  return { process: all, run, thread: Math.floor(run / 2), document };
}

/**
 * Counts the memory that the threads of the process hold for large values, in KiB, in shared memory. Each thread has an
 * entry, and the totals are sums of entries. So there is nothing to repair if a thread is ended at any instruction: its
 * entry is cleared by the thread that started it.
 */
export class MemoryLedger {
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#cells = new Int32Array(buffer);
  }

  /** Returns the ledger of the process. The first thread that needs it creates it. */
  static ofProcess(): MemoryLedger {
    const buffer = getEnvironmentData(LEDGER);
    if (buffer instanceof SharedArrayBuffer) return new MemoryLedger(buffer);
    const created = new SharedArrayBuffer((HEADER + MAX_ENTRIES * ENTRY) * Int32Array.BYTES_PER_ELEMENT);
    setEnvironmentData(LEDGER, created);
    const ledger = new MemoryLedger(created);
    ledger.setLimits(memoryLimits(defaultMemoryMb()));
    return ledger;
  }

  setLimits({ process: all, run, thread, document }: MemoryLimits): void {
    for (const [cell, kib] of [all, run, thread, document].entries()) Atomics.store(this.#cells, cell, kib);
  }

  get limits(): MemoryLimits {
    const [all, run, thread, document] = this.#cells;
    return { process: all as number, run: run as number, thread: thread as number, document: document as number };
  }

  /** Returns the number of an entry for a thread. Throws if too many threads hold memory. */
  entryOf(thread: number, run: number): number {
    const used = Atomics.load(this.#cells, ENTRIES);
    for (let entry = 0; entry < used; entry++) {
      if (Atomics.load(this.#cells, cell(entry, THREAD)) === thread + 1) return entry;
    }
    for (let entry = 0; entry < MAX_ENTRIES; entry++) {
      if (Atomics.compareExchange(this.#cells, cell(entry, THREAD), 0, thread + 1) !== 0) continue;
      Atomics.store(this.#cells, cell(entry, RUN), run + 1);
      for (;;) {
        const known = Atomics.load(this.#cells, ENTRIES);
        if (known > entry || Atomics.compareExchange(this.#cells, ENTRIES, known, entry + 1) === known) return entry;
      }
    }
    throw new Error(`More than ${MAX_ENTRIES} threads hold memory`);
  }

  /** Takes memory if no limit is exceeded. Returns false if there is not enough. */
  take(entry: number, kib: number): boolean {
    const taken = cell(entry, TAKEN);
    // First take, then look. Two threads may both give it back, but they never both keep it.
    const mine = Atomics.add(this.#cells, taken, kib) + kib;
    const { process: all, run, thread } = this.limits;
    if (mine <= thread && this.#sum() <= all && this.#sum(this.#cells[cell(entry, RUN)]) <= run) return true;
    Atomics.sub(this.#cells, taken, kib);
    return false;
  }

  give(entry: number, kib: number): void {
    Atomics.sub(this.#cells, cell(entry, TAKEN), kib);
  }

  /** Gives back everything that an entry holds. */
  clear(entry: number): void {
    Atomics.store(this.#cells, cell(entry, TAKEN), 0);
  }

  /** Takes the reserve for a thread. Returns false if another thread has it. */
  takeReserve(thread: number): boolean {
    const owner = Atomics.compareExchange(this.#cells, RESERVE, 0, thread + 1);
    return owner === 0 || owner === thread + 1;
  }

  giveReserve(thread: number): void {
    Atomics.compareExchange(this.#cells, RESERVE, thread + 1, 0);
  }

  /** Gives back what a thread and the threads of its run held. Call it when the thread has ended. */
  end(thread: number): void {
    const used = Atomics.load(this.#cells, ENTRIES);
    for (let entry = 0; entry < used; entry++) {
      const owner = Atomics.load(this.#cells, cell(entry, THREAD));
      if (owner !== thread + 1 && Atomics.load(this.#cells, cell(entry, RUN)) !== thread + 1) continue;
      if (owner === 0) continue;
      this.clear(entry);
      this.giveReserve(owner - 1);
      Atomics.store(this.#cells, cell(entry, RUN), 0);
      Atomics.store(this.#cells, cell(entry, THREAD), 0);
    }
  }

  /** The memory that is held, in KiB, without the reserve. */
  get taken(): number {
    return this.#sum();
  }

  /** Sums the entries of a run, or all. */
  #sum(run?: number): number {
    const used = Atomics.load(this.#cells, ENTRIES);
    let sum = 0;
    for (let entry = 0; entry < used; entry++) {
      if (run === undefined || this.#cells[cell(entry, RUN)] === run) {
        sum += Atomics.load(this.#cells, cell(entry, TAKEN));
      }
    }
    return sum;
  }
}

function cell(entry: number, field: number): number {
  return HEADER + entry * ENTRY + field;
}

/** Sets the limit for the large values of this process, in MiB, before it starts threads. */
export function limitMemory(megabytes: number): void {
  MemoryLedger.ofProcess().setLimits(memoryLimits(megabytes));
}
