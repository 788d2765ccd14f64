import type { RecordScanner } from '../split/record-splitter.ts';
import { JsonValueScanner } from './json-value-scanner.ts';

/** Finds the ends of lines. Each line is a record. The last line needs no line feed if its values are closed. */
export class JsonLineScanner implements RecordScanner {
  records = 0;
  /** Reads the bytes after the last line feed: they show whether the source ends inside a value. */
  #open = new JsonValueScanner();

  get line(): number {
    return this.records + 1;
  }

  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number {
    // A search in a string is fastest. Latin-1 text has one character per byte.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
    let end = -1;
    for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', lf + 1)) {
      end = from + lf + 1;
      this.records++;
      if (first) break;
    }
    if (end >= 0) this.#open = new JsonValueScanner();
    // The bytes after the first record are scanned again.
    if (!first || end < 0) this.#open.scan(bytes, end < 0 ? from : end, to, false);
    return end;
  }

  finish(): boolean {
    return this.#open.finish() && this.#open.openArrays === 0;
  }
}
