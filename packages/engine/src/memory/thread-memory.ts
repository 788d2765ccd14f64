import { threadId } from 'node:worker_threads';
import { HeadraceError } from '../errors/headrace-error.ts';
import { collectGarbage } from './collect-garbage.ts';
import { MemoryHold, type MemorySource } from './memory-hold.ts';
import { MemoryLedger } from './memory-ledger.ts';

/** How often a waiting thread looks whether other threads have given memory back. */
const LOOK_MILLIS = 20;

/** The part of the memory of a thread that may be garbage: the memory of values that are not used any more. */
const GARBAGE_PART = 1 / 4;

/**
 * A large value of a document exists up to this often at the same time: its bytes, its text for the destination (Base64,
 * JSON), and the encoded documents or the request.
 */
const COPIES = 3;

interface Waiter {
  readonly hold: MemoryHold;
  readonly kib: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The thread of the run that this thread works for. A run thread works for itself. */
let run = threadId;
let stopped: () => boolean = () => false;
let mayBlock = false;

/** Says for which run this thread works, and how it learns that the run stops. */
export function workForRun(options: {
  readonly run?: number | undefined;
  readonly stopped: () => boolean;
  /** True if the thread may block until there is memory: no other thread waits for its answers. */
  readonly mayBlock: boolean;
}): void {
  run = options.run ?? threadId;
  ({ stopped, mayBlock } = options);
}

/**
 * The memory of this thread. If there is not enough, documents wait until others have left. A document of a call that
 * processes several at a time waits with what it has, so all of them could wait for each other. Therefore the first
 * document, which needs no other one to finish, may use the reserve of the process. See `memoryLimits`.
 */
class ThreadMemory implements MemorySource {
  #sharedLedger: MemoryLedger | undefined;
  #entry: number | undefined;
  readonly #documents = new Map<object, MemoryHold>();
  /** The documents that cannot leave the pipeline before another one has left. */
  readonly #later = new Set<object>();
  #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The memory of the reserve that holds of this thread use, in KiB. */
  #reserved = 0;
  /** What was given back since the last collection, in KiB. */
  #garbage = 0;
  #onScarce: (() => void) | undefined;
  /** The holds of documents that have left the pipeline. */
  readonly #left: MemoryHold[] = [];

  /** True if a document of this thread waits, or uses the reserve. Then no document should stay longer than necessary. */
  get isScarce(): boolean {
    return this.#waiters.length > 0 || this.#reserved > 0;
  }

  /** Calls a function when a document of this thread begins to wait. Replaces the previous function. */
  onScarce(call: () => void): void {
    this.#onScarce = call;
  }

  /** Returns the hold of a document. It is released when the document has left the pipeline. */
  holdOf(document: object, id: string): MemoryHold {
    let hold = this.#documents.get(document);
    if (hold === undefined) {
      hold = new MemoryHold(this, `document ${id}`, { owner: document, copies: COPIES });
      this.#documents.set(document, hold);
    }
    return hold;
  }

  /** Says that a document cannot leave before an earlier one. */
  putLater(document: object): void {
    this.#later.add(document);
  }

  /** Says that a document needs no other one to leave. */
  putFirst(document: object): void {
    if (this.#later.delete(document) && this.#waiters.length > 0) this.#serve();
  }

  /**
   * Call it when a document has left the pipeline or has failed. Returns whether it holds memory. The caller then removes
   * its large values: the batch still refers to the document. `releaseLeft` frees the memory.
   */
  leave(document: object): boolean {
    if (this.#documents.size === 0) return false;
    const hold = this.#documents.get(document);
    if (hold === undefined) return false;
    this.#documents.delete(document);
    this.#left.push(hold);
    return true;
  }

  /** Frees the memory of a document that has failed and is not needed any more. */
  drop(document: object): void {
    this.#documents.get(document)?.release();
    this.#documents.delete(document);
  }

  /** True if documents have left whose memory is not free. */
  get hasLeft(): boolean {
    return this.#left.length > 0;
  }

  /** Frees the memory of the documents that have left the pipeline. */
  releaseLeft(): void {
    for (const hold of this.#left.splice(0)) hold.release();
  }

  /** Frees the memory of all documents. */
  releaseDocuments(): void {
    this.#later.clear();
    if (this.#documents.size === 0 && this.#left.length === 0) return;
    this.releaseLeft();
    for (const hold of this.#documents.values()) hold.release();
    this.#documents.clear();
  }

  take(hold: MemoryHold, kib: number): Promise<void> | undefined {
    this.#check(hold, kib);
    if (this.#try(hold, kib)) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ hold, kib, resolve, reject });
    this.#timer ??= setInterval(() => this.#serve(), LOOK_MILLIS);
    this.#onScarce?.();
    return promise;
  }

  takeIfFree(hold: MemoryHold, kib: number): boolean {
    return hold.kib + kib <= this.#ledger.limits.document && this.#try(hold, kib);
  }

  takeNow(hold: MemoryHold, kib: number): void {
    this.#check(hold, kib);
    const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    while (!this.#try(hold, kib)) {
      if (stopped()) throw cancelled();
      if (!mayBlock) throw tooMuch(`${hold.what} needs ${mebibytes(kib)} MiB, and other documents use the memory`);
      // Other threads finish their documents meanwhile.
      Atomics.wait(cell, 0, 0, LOOK_MILLIS);
    }
  }

  give(hold: MemoryHold, kib: number): void {
    this.#garbage += kib;
    if (this.#garbage > this.#ledger.limits.thread * GARBAGE_PART) {
      this.#garbage = 0;
      collectGarbage();
    }
    const reserved = Math.min(kib, hold.reserved);
    hold.kib -= kib;
    hold.reserved -= reserved;
    this.#reserved -= reserved;
    if (reserved > 0 && this.#reserved === 0) this.#ledger.giveReserve(threadId);
    if (kib > reserved) this.#ledger.give(this.#ownEntry(), kib - reserved);
    if (this.#waiters.length > 0) this.#serve();
  }

  /** Created at the first use, because most threads hold no large values. */
  get #ledger(): MemoryLedger {
    this.#sharedLedger ??= MemoryLedger.ofProcess();
    return this.#sharedLedger;
  }

  #ownEntry(): number {
    this.#entry ??= this.#ledger.entryOf(threadId, run);
    return this.#entry;
  }

  #check(hold: MemoryHold, kib: number): void {
    const { document } = this.#ledger.limits;
    if (hold.kib + kib <= document) return;
    throw tooMuch(`${hold.what} needs more than ${mebibytes(document)} MiB of memory for its values`);
  }

  #try(hold: MemoryHold, kib: number): boolean {
    if (this.#ledger.take(this.#ownEntry(), kib)) {
      hold.kib += kib;
      return true;
    }
    if (!this.#isFirst(hold) || !this.#ledger.takeReserve(threadId)) return false;
    const { document } = this.#ledger.limits;
    if (this.#reserved + kib > document) {
      throw tooMuch(`${hold.what} and its children need more than ${mebibytes(document)} MiB of memory`);
    }
    this.#reserved += kib;
    hold.kib += kib;
    hold.reserved += kib;
    return true;
  }

  /** True if the hold belongs to a document that needs no other one to leave. */
  #isFirst({ owner }: MemoryHold): boolean {
    return owner !== undefined && !this.#later.has(owner);
  }

  /** Gives memory to those who wait, and ends their waiting if the run stops. */
  #serve(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      try {
        if (stopped()) throw cancelled();
        if (this.#try(waiter.hold, waiter.kib)) waiter.resolve();
        else this.#waiters.push(waiter);
      } catch (error) {
        waiter.reject(error);
      }
    }
    if (this.#waiters.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function mebibytes(kib: number): number {
  return Math.ceil(kib / 1024);
}

function tooMuch(message: string): HeadraceError {
  return new HeadraceError('HR_MEMORY_LIMIT', message, {
    hint: 'Read less (smaller files, maxSize), or give Headrace more memory: in a service, limits.memoryMb, otherwise a larger machine or container. Half of the limit is for one document, which counts large values three times.',
  });
}

/** Returns the size of the largest value that a document may have, in bytes. */
export function maxValueBytes(): number {
  return Math.floor((MemoryLedger.ofProcess().limits.document * 1024) / COPIES);
}

/** A smaller batch is not counted: queues limit the number of batches. */
const LARGE_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Takes memory for a batch of the source that is sent to a pipeline thread. Resolves with the hold when there is
 * enough: earlier batches have then left. A batch counts at most as the memory of a thread, because it may be larger and
 * must pass when no other batch is in flight. Returns undefined for a batch of ordinary size.
 */
export async function memoryForBatch(bytes: number): Promise<MemoryHold | undefined> {
  if (bytes < LARGE_BATCH_BYTES) return undefined;
  const hold = new MemoryHold(threadMemory, 'a batch of the source');
  await hold.take(Math.min(COPIES * bytes, MemoryLedger.ofProcess().limits.thread * 1024));
  return hold;
}

/** True for an error because memory was missing: it fails the document, even if other errors of the work do not. */
export function isMemoryError(error: unknown): error is HeadraceError {
  return error instanceof HeadraceError && (error.code === 'HR_MEMORY_LIMIT' || error.code === 'HR_RUN_CANCELLED');
}

function cancelled(): HeadraceError {
  return new HeadraceError('HR_RUN_CANCELLED', 'The run was stopped while a document waited for memory');
}

/**
 * Returns the memory that a document holds for its large values. A stage takes memory before it fetches, reads or
 * expands something. It is released when the document has left the pipeline.
 */
export function memoryOf(document: { readonly id: string }): MemoryHold {
  return threadMemory.holdOf(document, document.id);
}

/**
 * Returns memory for a piece of work. The caller releases it.
 * @param what names the work in messages: `the archive a.zip`
 * @param document the document that the work is for, if any: the first document gets memory even if others use it
 */
export function holdMemory(what: string, document?: object): MemoryHold {
  return new MemoryHold(threadMemory, what, document === undefined ? {} : { owner: document });
}

/** The memory of this thread. */
export const threadMemory: ThreadMemory = new ThreadMemory();
