import { isUtf8 } from 'node:buffer';
import { HeadraceError, type Logger } from '@headrace/engine';
import { asBuffer } from '../as-buffer.ts';
import type { Note } from '../format-context.ts';
import { isAuto } from './encoding-settings.ts';

const REPLACEMENT = Buffer.from('\ufffd');
const KIND = 'bytes that do not decode';

/** The positions of records in bytes, and the lines in which they begin, counted from 1. */
interface RecordRange {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface InvalidBytesOptions {
  readonly path: string;
  /** What the file is read as, and what it declares itself. */
  readonly text: { readonly encoding: string; readonly declared?: string | undefined };
  /** The parameter `encoding`, if it is given. */
  readonly setting: string | undefined;
  readonly log: Logger;
  readonly note: Note | undefined;
  readonly onInvalidBytes: 'replace' | 'fail' | undefined;
}

/**
 * Counts the bytes of a file that mean nothing in its encoding, and reports the first. It looks in the thread that reads
 * the file, where it is known which bytes come first; a MiB takes less than a tenth of a millisecond.
 *
 * A file that is not UTF-8 arrives transcoded, with U+FFFD for such bytes: then each U+FFFD counts.
 */
export class InvalidBytes {
  readonly #options: InvalidBytesOptions;
  #reported = false;

  constructor(options: InvalidBytesOptions) {
    this.#options = options;
  }

  /**
   * Looks at the next bytes of the file. They must not begin or end inside a character, nor may the records. Throws
   * `HR_SOURCE_UNREADABLE` where such bytes fail the file.
   */
  look(bytes: Uint8Array, records: readonly RecordRange[]): void {
    const isOriginal = this.#options.text.encoding === 'UTF-8';
    if (isOriginal ? isUtf8(bytes) : !asBuffer(bytes).includes(REPLACEMENT)) return;
    for (const { start, end, line } of records) {
      const record = asBuffer(bytes).subarray(start, end);
      const count = isOriginal ? invalidIn(record) : occurrences(record);
      if (count > 0) this.#found(record, count, line);
    }
  }

  #found(record: Buffer, count: number, line: number): void {
    const { path, text, log, note, onInvalidBytes } = this.#options;
    const isOriginal = text.encoding === 'UTF-8';
    const at = isOriginal ? firstForeign(record) : record.indexOf(REPLACEMENT);
    const lineEnds = record.toString('latin1', 0, at).match(/\r\n|\r|\n/g)?.length ?? 0;
    const place = `${path}:${line + lineEnds}`;
    const what = isOriginal
      ? `byte 0x${(record[at] as number).toString(16).toUpperCase().padStart(2, '0')} is not UTF-8`
      : `there are bytes that are not ${text.encoding}`;
    const advice = this.#advice();
    if (onInvalidBytes === 'fail') {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `${place}: ${what}`, {
        hint: `${advice[0]?.toUpperCase()}${advice.slice(1)}. With onInvalidBytes: replace the file is read with U+FFFD there.`,
      });
    }
    note?.(KIND, `${place}: ${what}`, count);
    if (this.#reported) return;
    this.#reported = true;
    log.warn(`${place}: ${what}. Such bytes become U+FFFD: ${advice} (said once per file)`);
  }

  #advice(): string {
    const { text, setting } = this.#options;
    const isUtf8 = text.encoding === 'UTF-8';
    const other = 'set encoding to what the file is in';
    if (setting === undefined || !isAuto(setting)) {
      if (!isUtf8) return `${other}; files of Western Europe are mostly windows-1252`;
      const { declared = 'utf-8' } = text;
      if (declared !== 'utf-8') return `the file declares ${declared}, so set encoding to ${declared}, or to auto`;
      return `${other}, mostly windows-1252, or to auto`;
    }
    if (text.declared !== undefined) {
      return `the file declares ${text.declared}, which is wrong, or these bytes are broken; ${other}, mostly windows-1252, or correct the bytes`;
    }
    return isUtf8
      ? `most of the file is UTF-8, so these bytes are probably broken; correct them, or ${other}`
      : `auto found this encoding; ${other} if that is wrong, or correct the bytes`;
  }
}

/** How many bytes decoding would not give back. */
function invalidIn(bytes: Buffer): number {
  const text = bytes.toString();
  let replaced = -occurrences(bytes);
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) replaced++;
  return bytes.length - (Buffer.byteLength(text) - replaced * REPLACEMENT.length);
}

function occurrences(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(REPLACEMENT); at >= 0; at = bytes.indexOf(REPLACEMENT, at + REPLACEMENT.length)) count++;
  return count;
}

/** The position of the first byte that decoding would not reproduce. */
function firstForeign(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString());
  let at = 0;
  while (bytes[at] === decoded[at]) at++;
  return at;
}
