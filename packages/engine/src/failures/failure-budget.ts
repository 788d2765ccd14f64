import { MAX_DOCUMENT_BYTES, MAX_KEPT_FAILURES, MAX_RUN_BYTES } from './kept-failure.ts';

const CLOSED = 0;
const BYTES_LEFT = 1;
const UNLIMITED = 2;
const CELLS = 3;

/**
 * How many bytes the contents of failed documents may still take, in memory that all threads of a run share. A burst of
 * failures cannot use more than this, neither in transit nor in the store, unless all failed documents are wanted.
 */
export class FailureBudget {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  /** @param options.unlimited whether all failed documents are wanted */
  constructor(buffer?: SharedArrayBuffer, { unlimited = false } = {}) {
    this.buffer = buffer ?? new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
    this.#cells = new Int32Array(this.buffer);
    if (buffer !== undefined) return;
    this.#cells[BYTES_LEFT] = MAX_RUN_BYTES;
    this.#cells[UNLIMITED] = unlimited ? 1 : 0;
  }

  /** How many failed documents a run reports. */
  get maxFailures(): number {
    return this.#unlimited ? Number.POSITIVE_INFINITY : MAX_KEPT_FAILURES;
  }

  get #unlimited(): boolean {
    return this.#cells[UNLIMITED] === 1;
  }

  /** Whether no more content is stored, so that it is not worth reading. */
  get closed(): boolean {
    return Atomics.load(this.#cells, CLOSED) === 1;
  }

  close(): void {
    Atomics.store(this.#cells, CLOSED, 1);
  }

  /** Takes the bytes of a document from the budget. Returns the reason if it cannot. */
  take(bytes: number): string | undefined {
    if (this.#unlimited) return undefined;
    if (bytes > MAX_DOCUMENT_BYTES) return `It takes ${bytes} bytes; up to ${MAX_DOCUMENT_BYTES} are stored`;
    if (Atomics.sub(this.#cells, BYTES_LEFT, bytes) >= bytes) return undefined;
    Atomics.add(this.#cells, BYTES_LEFT, bytes);
    return `The failed documents before it use up the ${MAX_RUN_BYTES} bytes that are stored for a run`;
  }
}
