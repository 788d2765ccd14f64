import type { RunLogPiece, Store } from '../store/store.ts';

/** The limits of the log of a run, in lines and bytes. */
export const MAX_LOG_LINES = 10_000;
export const MAX_LOG_BYTES = 1024 * 1024;
/** The lines and bytes after which a piece is full. The oldest piece is dropped as a whole. */
const PIECE_LINES = 500;
const PIECE_BYTES = 64 * 1024;

interface Piece extends RunLogPiece {
  text: string;
  lines: number;
  bytes: number;
  /** Whether the piece is completely stored. */
  stored: boolean;
}

/**
 * The last lines of the log of a run. They are stored in pieces from time to time, because there are too many to store
 * each line. Only unstored pieces and the growing piece are in memory.
 */
export class RunLog {
  readonly #runId: string;
  readonly #store: Store;
  /** The pieces, oldest first. The text of a full and stored piece is removed from memory. */
  readonly #pieces: Piece[] = [];
  #lines = 0;
  #bytes = 0;
  #lastLine = 0;
  #lastPiece = 0;
  #saving: Promise<void> | undefined;

  constructor(runId: string, store: Store) {
    this.#runId = runId;
    this.#store = store;
  }

  /** Returns the number of the next line, from 1. */
  get nextLine(): number {
    return this.#lastLine + 1;
  }

  /** @param line JSON, without a line end */
  add(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    let piece = this.#pieces.at(-1);
    if (piece === undefined || piece.lines >= PIECE_LINES || piece.bytes + bytes > PIECE_BYTES) {
      piece = { number: ++this.#lastPiece, firstLine: this.nextLine, text: '', lines: 0, bytes: 0, stored: false };
      this.#pieces.push(piece);
    }
    piece.text += `${line}\n`;
    piece.lines++;
    piece.bytes += bytes;
    piece.stored = false;
    this.#lastLine++;
    this.#lines++;
    this.#bytes += bytes;
    while ((this.#lines > MAX_LOG_LINES || this.#bytes > MAX_LOG_BYTES) && this.#pieces.length > 1) this.#dropOldest();
  }

  /** Stores the new lines. Rejects if that fails; the next call tries again. */
  async save(): Promise<void> {
    // Wait for a running save, because the lines that it is storing already count as stored.
    for (let other = this.#saving; other !== undefined; other = this.#saving) await other;
    this.#saving = this.#save().finally(() => {
      this.#saving = undefined;
    });
    await this.#saving;
  }

  async #save(): Promise<void> {
    const fresh = this.#pieces.filter((piece) => !piece.stored);
    const [oldest] = this.#pieces;
    if (fresh.length === 0 || oldest === undefined) return;
    for (const piece of fresh) piece.stored = true;
    try {
      const pieces = fresh.map(({ number, firstLine, text }) => ({ number, firstLine, text }));
      await this.#store.saveRunLog(this.#runId, pieces, oldest.number);
    } catch (error) {
      for (const piece of fresh) piece.stored = false;
      throw error;
    }
    for (const piece of this.#pieces.slice(0, -1)) if (piece.stored) piece.text = '';
  }

  #dropOldest(): void {
    const { lines, bytes } = this.#pieces.shift() as Piece;
    this.#lines -= lines;
    this.#bytes -= bytes;
  }
}
