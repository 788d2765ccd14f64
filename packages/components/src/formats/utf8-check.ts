import { isUtf8 } from 'node:buffer';
import type { Logger } from '@headrace/engine';

const CONVERT = 'convert the file, from Latin-1 for example with iconv -f ISO-8859-1 -t UTF-8 FILE > NEW_FILE';

/** Where records stand in bytes, and the line in which they begin, counted from 1. */
interface RecordRange {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/**
 * Tells of the first byte of a file that is not UTF-8. It looks in the thread that reads the file, where it is known
 * which bytes come first; a MiB takes less than a tenth of a millisecond.
 */
export class Utf8Check {
  private readonly path: string;
  private readonly log: Logger;
  private readonly advice: string;
  private told = false;

  /** @param advice what to do about such bytes */
  constructor(path: string, log: Logger, advice = CONVERT) {
    this.path = path;
    this.log = log;
    this.advice = advice;
  }

  /** Looks at the next bytes of the file. They must not begin or end inside of a character, nor may the records. */
  look(bytes: Uint8Array, records: readonly RecordRange[]): void {
    if (this.told || isUtf8(bytes)) return;
    for (const { start, end, line } of records) {
      const record = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
      if (isUtf8(record)) continue;
      this.told = true;
      const at = firstForeign(record);
      const lineEnds = record.toString('latin1', 0, at).match(/\r\n|\r|\n/g)?.length ?? 0;
      const byte = (record[at] as number).toString(16).toUpperCase().padStart(2, '0');
      this.log.warn(
        `${this.path}:${line + lineEnds}: byte 0x${byte} is not UTF-8. Such bytes become U+FFFD: ${this.advice} (said once per file)`,
      );
      return;
    }
  }
}

/** Where the first byte stands that decoding would not give back. */
function firstForeign(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString());
  let at = 0;
  while (bytes[at] === decoded[at]) at++;
  return at;
}
