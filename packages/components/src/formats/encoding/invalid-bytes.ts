import { isUtf8 } from 'node:buffer';
import { firstInvalidUtf8, invalidUtf8Bytes, REPLACEMENT, replacements } from '@headrace/charsets';
import { HeadraceError, type Logger, type Notices } from '@headrace/engine';
import { asBuffer } from '../as-buffer.ts';
import { isAuto } from './encoding-settings.ts';

/** The range of a record in a chunk, and the line in which it begins, counted from 1. */
interface RecordRange {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface InvalidBytesOptions {
  readonly path: string;
  /** The encoding with which the file is read, and the encoding that it declares. */
  readonly text: { readonly encoding: string; readonly declared?: string | undefined };
  /** The parameter `encoding`. Undefined if it is not set. */
  readonly setting: string | undefined;
  readonly log: Logger;
  readonly notices: Notices;
  readonly onInvalidBytes: 'replace' | 'fail' | undefined;
}

/**
 * Counts the bytes of a file that are invalid in its encoding, and reports the first one. This happens in the thread
 * that reads the file, because only that thread knows the order of the bytes. A MiB takes less than 0.1 ms.
 *
 * A file that is not UTF-8 arrives converted, with U+FFFD for invalid bytes. In this case each U+FFFD counts.
 */
export class InvalidBytes {
  readonly #options: InvalidBytesOptions;
  #reported = false;

  constructor(options: InvalidBytesOptions) {
    this.#options = options;
  }

  /**
   * Checks the next bytes of the file. Neither the bytes nor the records may begin or end inside a character.
   *
   * Throws `HR_SOURCE_UNREADABLE` if invalid bytes fail the file.
   */
  look(bytes: Uint8Array, records: readonly RecordRange[]): void {
    const isOriginal = this.#options.text.encoding === 'UTF-8';
    if (isOriginal ? isUtf8(bytes) : !asBuffer(bytes).includes(REPLACEMENT)) return;
    for (const { start, end, line } of records) {
      const record = asBuffer(bytes).subarray(start, end);
      const count = isOriginal ? invalidUtf8Bytes(record) : replacements(record);
      if (count > 0) this.#found(record, count, line);
    }
  }

  #found(record: Buffer, count: number, line: number): void {
    const { path, text, log, notices, onInvalidBytes } = this.#options;
    const isOriginal = text.encoding === 'UTF-8';
    const at = isOriginal ? firstInvalidUtf8(record) : record.indexOf(REPLACEMENT);
    const lineEnds = record.toString('latin1', 0, at).match(/\r\n|\r|\n/g)?.length ?? 0;
    const inLine = line + lineEnds;
    const place = `${path}:${inLine}`;
    const what = isOriginal
      ? `byte 0x${(record[at] as number).toString(16).toUpperCase().padStart(2, '0')} is not UTF-8`
      : `there are bytes that are not ${text.encoding}`;
    const advice = this.#advice();
    if (onInvalidBytes === 'fail') {
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `${place}: ${what}`, {
        hint: `${advice[0]?.toUpperCase()}${advice.slice(1)}. With onInvalidBytes: replace the file is read with U+FFFD there.`,
      });
    }
    notices.report('bytes.invalid', { file: path, line: inLine, hint: what, count });
    if (this.#reported) return;
    this.#reported = true;
    log.warn(`${place}: ${what}. Such bytes become U+FFFD: ${advice} (logged once per file)`);
  }

  #advice(): string {
    const { text, setting } = this.#options;
    const isUtf8 = text.encoding === 'UTF-8';
    const other = 'set encoding to the encoding of the file';
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
