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
 * Finds the ends of consecutive values, on any number of lines, at the top level or as elements of an array there. An
 * array at the top level is treated as a sequence: its brackets and commas separate records as white space does. Only
 * braces and strings are checked, so that an object with a mistake inside ends in the right place.
 */
export class JsonValueScanner implements RecordScanner {
  records = 0;
  line: number;
  /** How many arrays at the top level are open. */
  openArrays = 0;
  /** Lines up to the current position; `line` stays at the last record's end. */
  private currentLine: number;
  private braces = 0;
  private inString = false;
  private escaped = false;
  private inWord = false;

  /** @param line the line of the first byte */
  constructor(line = 1) {
    this.line = line;
    this.currentLine = line;
  }

  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number {
    let end = -1;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) {
          this.inString = false;
          if (this.braces > 0) continue;
          end = this.endRecord(i + 1);
        }
      } else if (this.braces > 0) {
        if (byte === QUOTE) this.inString = true;
        else if (byte === OPEN_OBJECT) this.braces++;
        else if (byte === CLOSE_OBJECT && --this.braces === 0) end = this.endRecord(i + 1);
      } else {
        const outside = isBetween(byte);
        if (this.inWord && (outside || byte === QUOTE || byte === OPEN_OBJECT)) {
          this.inWord = false;
          end = this.endRecord(i);
          // The byte itself belongs to what follows.
          if (first) return end;
        }
        if (byte === OPEN_ARRAY) this.openArrays++;
        else if (byte === CLOSE_ARRAY) this.openArrays--;
        else if (byte === OPEN_OBJECT) this.braces = 1;
        else if (byte === QUOTE) this.inString = true;
        else if (!outside) this.inWord = true;
      }
      if (first && end >= 0) return end;
      if (byte === LF) this.currentLine++;
    }
    return end;
  }

  finish(): boolean {
    return this.braces === 0 && !this.inString;
  }

  private endRecord(end: number): number {
    this.records++;
    this.line = this.currentLine;
    return end;
  }
}

/** Whether a byte separates values: white space, a comma, a bracket. */
function isBetween(byte: number): boolean {
  return byte <= 32 || byte === COMMA || byte === OPEN_ARRAY || byte === CLOSE_ARRAY;
}

/** The characters between two values, in text. */
export const BETWEEN_VALUES = /^[\u0000-\u0020,[\]]*/;
