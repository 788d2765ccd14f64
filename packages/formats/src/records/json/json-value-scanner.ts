import type { RecordScanner } from '../split/record-splitter.ts';

const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Finds the ends of consecutive values at the top level, or in an array at the top level. A value may have any number
 * of lines. An array at the top level is a sequence: its brackets and commas separate records like white space. Only
 * braces and strings are checked, so an object with a mistake inside ends at the right place.
 */
export class JsonValueScanner implements RecordScanner {
  records = 0;
  line: number;
  /** The number of open arrays at the top level. */
  openArrays = 0;
  /** The line of the position that is being scanned. `line` is the line at the end of the last record. */
  #currentLine: number;
  #braces = 0;
  #inString = false;
  #escaped = false;
  #inWord = false;

  readonly #cutsBlanks: boolean;

  /**
   * @param line the line of the first byte
   * @param cutsBlanks whether the source may also be cut between two values. Otherwise only the end of a value counts
   */
  constructor(line = 1, cutsBlanks = false) {
    this.line = line;
    this.#cutsBlanks = cutsBlanks;
    this.#currentLine = line;
  }

  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number {
    // Local variables during the scan, because a private field costs more for each byte.
    let braces = this.#braces;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let inWord = this.#inWord;
    let end = -1;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (braces > 0) continue;
          end = this.#endRecord(i + 1);
        }
      } else if (braces > 0) {
        if (byte === QUOTE) inString = true;
        else if (byte === OPEN_OBJECT) braces++;
        else if (byte === CLOSE_OBJECT && --braces === 0) end = this.#endRecord(i + 1);
      } else {
        const outside = isBetween(byte);
        if (inWord && (outside || byte === QUOTE || byte === OPEN_OBJECT)) {
          inWord = false;
          end = this.#endRecord(i);
          // The byte belongs to the next value.
          if (first) break;
        }
        if (byte === OPEN_ARRAY) this.openArrays++;
        else if (byte === CLOSE_ARRAY) this.openArrays -= this.openArrays > 0 ? 1 : 0;
        else if (byte === OPEN_OBJECT) braces = 1;
        else if (byte === QUOTE) inString = true;
        else if (!outside) inWord = true;
      }
      if (first && end >= 0) break;
      if (byte === LF) this.#currentLine++;
    }
    this.#braces = braces;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#inWord = inWord;
    if (this.#cutsBlanks && !first && braces === 0 && !inString && !inWord) {
      this.line = this.#currentLine;
      return to;
    }
    return end;
  }

  finish(): boolean {
    return this.#braces === 0 && !this.#inString;
  }

  #endRecord(end: number): number {
    this.records++;
    this.line = this.#currentLine;
    return end;
  }
}

/**
 * Returns whether a byte separates values: white space, a comma, a bracket. NUL is not white space: a crash of the machine
 * may replace the end of a file by it, so it must not pass in silence.
 */
function isBetween(byte: number): boolean {
  return (byte <= 32 && byte !== 0) || byte === COMMA || byte === OPEN_ARRAY || byte === CLOSE_ARRAY;
}

/** Matches the characters between two values in text. */
export const BETWEEN_VALUES = /^[\u0001-\u0020,[\]]*/;
