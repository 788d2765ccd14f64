import type { FileHandle } from 'node:fs/promises';

/** The rows of an output file. Each ends with a line feed. */
export interface RowFormat {
  /** Whether a line feed inside double quotes belongs to its row. */
  readonly quoted: boolean;
  /** Returns whether a row is complete, except for its line feed. */
  isComplete(row: string): boolean;
}

const BLOCK_BYTES = 1 << 20;
/** Longer rows are not read into memory. */
const MAX_ROW_BYTES = 64 << 20;
const LF = 10;
const QUOTE = 34;

/**
 * Makes a file end with a complete row. A process that is killed while it writes leaves a part of a row, and the next row
 * would continue it: the part is removed. A complete row without its line feed gets one.
 *
 * @param all whether all rows are read. Otherwise a file that ends with a line feed counts as complete. With quotes, the
 * line feed may belong to an incomplete row
 * @returns the new length of the file, or undefined if the last row is too long to be read
 */
export async function endLastRow(
  file: FileHandle,
  size: number,
  { quoted, isComplete }: RowFormat,
  all: boolean,
): Promise<number | undefined> {
  if (size === 0) return 0;
  const block = Buffer.alloc(Math.min(size, BLOCK_BYTES));
  if (!(all && quoted)) {
    const { bytesRead } = await file.read(block, 0, 1, size - 1);
    if (bytesRead === 1 && block[0] === LF) return size;
  }
  const end = await lastRowStart(file, size, quoted, block);
  if (end === size) return size;
  if (size - end > MAX_ROW_BYTES) return undefined;
  const row = Buffer.alloc(size - end);
  const { bytesRead } = await file.read(row, 0, row.length, end);
  if (!isComplete(row.toString('utf8', 0, bytesRead))) {
    await file.truncate(end);
    return end;
  }
  await file.write(Buffer.of(LF), 0, 1, size);
  return size + 1;
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
