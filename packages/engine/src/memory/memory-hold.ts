import { contractError } from '../errors/contract-error.ts';

/**
 * Values up to this size are not counted: it would take longer than it is worth. Queues and batches limit their number.
 */
const FREE_BYTES = 64 * 1024;
/** Memory is taken in steps of at least this size, so that a value that grows by small pieces costs nothing. */
const STEP_KIB = 256;

/** Where a hold takes its memory. All sizes are in KiB. */
export interface MemorySource {
  /**
   * Takes memory for a hold. Waits until there is enough. Returns undefined if there is enough now.
   * @throws HR_MEMORY_LIMIT if the hold may never have as much
   */
  take(hold: MemoryHold, kib: number): Promise<void> | undefined;
  /** Takes memory if there is enough. Returns false if there is not. */
  takeIfFree(hold: MemoryHold, kib: number): boolean;
  /** Takes memory immediately, or blocks the thread. */
  takeNow(hold: MemoryHold, kib: number): void;
  give(hold: MemoryHold, kib: number): void;
}

/**
 * The memory that one value, one document or one piece of work holds. Take memory before you create something large:
 * with its declared size, or piece by piece while it grows.
 */
export class MemoryHold {
  /** What the memory is for, in messages: `document 7`. */
  readonly what: string;
  /** The document that the memory is for, if any. */
  readonly owner: object | undefined;
  /** The memory that was taken, in KiB. `reserved` is the part of it that comes from the reserve of the process. */
  kib = 0;
  reserved = 0;
  readonly #source: MemorySource;
  readonly #copies: number;
  #bytes = 0;

  /** @param options.copies how often each byte exists in memory at the same time; defaults to 1 */
  constructor(source: MemorySource, what: string, options: { readonly owner?: object; readonly copies?: number } = {}) {
    this.#source = source;
    this.what = what;
    this.owner = options.owner;
    this.#copies = options.copies ?? 1;
  }

  /** The bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes memory for more bytes. Resolves when they are available, which may need other documents to finish. Returns
   * undefined if they are available now. Rejects with `HR_MEMORY_LIMIT` if this hold may not have so much, and with
   * `HR_RUN_CANCELLED` if the run stops.
   */
  take(bytes: number): Promise<void> | undefined {
    const missing = this.#missing(bytes);
    if (missing === 0) {
      this.#bytes += bytes;
      return undefined;
    }
    const waiting = this.#source.take(this, missing);
    this.#bytes += bytes;
    return waiting?.catch((error) => {
      this.#bytes -= bytes;
      throw error;
    });
  }

  /**
   * Takes memory for more bytes in code that cannot wait for a promise. Throws `HR_MEMORY_LIMIT` if it is not available.
   */
  takeNow(bytes: number): void {
    const missing = this.#missing(bytes);
    if (missing > 0) this.#source.takeNow(this, missing);
    this.#bytes += bytes;
  }

  /**
   * Takes memory for more bytes if it is available now. Returns false if it is not. For memory that is already used,
   * which the caller then frees.
   */
  takeIfFree(bytes: number): boolean {
    const missing = this.#missing(bytes);
    if (missing > 0 && !this.#source.takeIfFree(this, missing)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Gives memory back: the last bytes, so that this many stay. */
  keep(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#bytes = bytes;
    const surplus = this.kib - this.#kibOf(bytes);
    if (surplus > 0) this.#source.give(this, surplus);
  }

  release(): void {
    this.keep(0);
  }

  #missing(bytes: number): number {
    // A wrong number would give memory back that is in use.
    if (!(typeof bytes === 'number' && bytes >= 0)) throw contractError(`${this.what} takes ${String(bytes)} bytes`);
    const missing = this.#kibOf(this.#bytes + bytes) - this.kib;
    return missing <= 0 ? 0 : Math.max(missing, STEP_KIB);
  }

  #kibOf(bytes: number): number {
    return bytes <= FREE_BYTES ? 0 : Math.ceil((bytes * this.#copies) / 1024);
  }
}
