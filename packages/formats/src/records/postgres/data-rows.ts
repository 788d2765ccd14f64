/** Converts the bytes `[from, to)` of a buffer to a value. */
export type BytesReader<T> = (bytes: Buffer, from: number, to: number) => T;

/** The code of a message with a row. */
export const DATA_ROW = 68;
/** The size of the header of a message: its code and its length, which includes the length field. */
export const HEADER_BYTES = 5;

/**
 * Reads rows in the form that the server sent: complete DataRow messages of the Postgres protocol, version 3
 * (PostgreSQL documentation, "Message Formats").
 *
 * @param readers the reader of each column; undefined for an unused column, which is then null
 * @param idColumn the column whose text follows all values
 * @param onRow receives each row; with `reuse`, the next row overwrites it
 */
export function readDataRows<T>(
  bytes: Buffer,
  readers: readonly (BytesReader<T> | undefined)[],
  idColumn: number,
  reuse: boolean,
  onRow: (row: (T | string | null)[]) => void,
): void {
  const columns = readers.length;
  let row = new Array<T | string | null>(columns + 1);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    // The number of columns follows the header. It is known and skipped.
    let from = at + HEADER_BYTES + 2;
    if (!reuse) row = new Array<T | string | null>(columns + 1);
    row[columns] = null;
    for (let i = 0; i < columns; i++) {
      const length = bytes.readInt32BE(from);
      from += 4;
      if (length < 0) {
        row[i] = null;
        continue;
      }
      const to = from + length;
      const read = readers[i];
      row[i] = read === undefined ? null : read(bytes, from, to);
      if (i === idColumn) row[columns] = bytes.toString('utf8', from, to);
      from = to;
    }
    onRow(row);
    at = end;
  }
}
