import { MAX_DOCUMENT_BYTES, MAX_KEPT_FAILURES, MAX_RUN_BYTES } from './kept-failure.ts';

const CLOSED = 0;
const BYTES_LEFT = 1;
const UNLIMITED = 2;
const CELLS = 3;

/**
 * The number of bytes that are left for the contents of failed documents, in memory that all threads of a run share. It
 * limits the memory of many failures, in transit and in the store, unless the run keeps all failed documents.
 */
export class FailureBudget {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  /** @param options.unlimited true if the run keeps all failed documents */
  constructor(buffer?: SharedArrayBuffer, { unlimited = false } = {}) {
    this.buffer = buffer ?? new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
    this.#cells = new Int32Array(this.buffer);
    if (buffer !== undefined) return;
    this.#cells[BYTES_LEFT] = MAX_RUN_BYTES;
    this.#cells[UNLIMITED] = unlimited ? 1 : 0;
  }

  /** The maximum number of failed documents that a run reports. */
  get maxFailures(): number {
    return this.#unlimited ? Number.POSITIVE_INFINITY : MAX_KEPT_FAILURES;
  }

  get #unlimited(): boolean {
    return this.#cells[UNLIMITED] === 1;
  }

  /** True if no more contents are stored, so that reading them is useless. */
  get closed(): boolean {
    return Atomics.load(this.#cells, CLOSED) === 1;
  }

  close(): void {
    Atomics.store(this.#cells, CLOSED, 1);
  }

  /** Subtracts the bytes of a document from the budget. Returns the reason if the budget is not sufficient. */
  take(bytes: number): string | undefined {
    if (this.#unlimited) return undefined;
    if (bytes > MAX_DOCUMENT_BYTES) return `The document has ${bytes} bytes, and the limit is ${MAX_DOCUMENT_BYTES}`;
    if (Atomics.sub(this.#cells, BYTES_LEFT, bytes) >= bytes) return undefined;
    Atomics.add(this.#cells, BYTES_LEFT, bytes);
    return `Earlier failed documents have used the ${MAX_RUN_BYTES} bytes that a run may store`;
  }
}
