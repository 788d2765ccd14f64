import type { FileHandle } from 'node:fs/promises';

/** The rows of an output file. Each ends with a line feed. */
export interface RowFormat {
  /** Whether a line feed inside double quotes belongs to its row. */
  readonly quoted: boolean;
  /** Returns whether a row is complete, except for its line feed. */
  isComplete(row: string): boolean;
}

/** What to do before rows are added to a file. */
export interface RowEnds {
  /** The length of the file without an incomplete last row. */
  readonly length: number;
  /** Whether the last row is complete, but lacks its line feed. */
  readonly needsLineFeed: boolean;
}

const BLOCK_BYTES = 1 << 20;
/** Longer rows are not read into memory. */
const MAX_ROW_BYTES = 64 << 20;
const LF = 10;
const QUOTE = 34;

/**
 * Finds out whether a file ends with a complete row. A process that is killed while it writes leaves a part of a row, and
 * the next row would continue it.
 *
 * @param all whether all rows are read. Otherwise a file that ends with a line feed counts as complete. With quotes, the
 * line feed may belong to an incomplete row
 * @returns undefined if the last row is too long to be read
 */
export async function findRowEnds(
  file: FileHandle,
  size: number,
  { quoted, isComplete }: RowFormat,
  all: boolean,
): Promise<RowEnds | undefined> {
  const complete = { length: size, needsLineFeed: false };
  if (size === 0) return complete;
  const block = Buffer.alloc(Math.min(size, BLOCK_BYTES));
  if (!(all && quoted)) {
    const { bytesRead } = await file.read(block, 0, 1, size - 1);
    if (bytesRead === 1 && block[0] === LF) return complete;
  }
  const end = await lastRowStart(file, size, quoted, block);
  if (end === size) return complete;
  if (size - end > MAX_ROW_BYTES) return undefined;
  const row = Buffer.alloc(size - end);
  const { bytesRead } = await file.read(row, 0, row.length, end);
  if (isComplete(row.toString('utf8', 0, bytesRead))) return { length: size, needsLineFeed: true };
  return { length: end, needsLineFeed: false };
}

/** Returns the offset after the last line feed that ends a row. */
async function lastRowStart(file: FileHandle, size: number, quoted: boolean, block: Buffer): Promise<number> {
  let end = 0;
  let inQuotes = false;
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, size - at), at);
    if (bytesRead === 0) break;
    for (let i = 0; i < bytesRead; i++) {
      const byte = block[i];
      if (byte === QUOTE) inQuotes = quoted && !inQuotes;
      else if (byte === LF && !inQuotes) end = at + i + 1;
    }
    at += bytesRead;
  }
  return end;
}
