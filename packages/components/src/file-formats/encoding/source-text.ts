import { HeadraceError } from '@headrace/engine';
import {
  type CharsetDecoder,
  ebcdicEncoding,
  firstTelling,
  guessEncoding,
  markedEncoding,
  SAMPLE_BYTES,
  unmarkedUtf16,
} from '@headrace/formats/charsets';
import { asBuffer } from '../as-buffer.ts';
import type { ByteSource, SourceFile } from '../byte-source.ts';
import { collect, rest } from '../read-ahead.ts';
import { DECODER_OF, isAuto, type NamesOf } from './encoding-settings.ts';

const UTF_8 = 'UTF-8';
const UTF_8_MARK_BYTES = 3;
const NO_BYTES = new Uint8Array();
/** The number of bytes that are read for a byte-order mark and an XML declaration. */
const HEAD_BYTES = 1024;

export interface SourceTextOptions {
  /** The encoding, or `auto`. Defaults to UTF-8. */
  readonly encoding: string | undefined;
  readonly names: NamesOf;
  /** Returns the encoding that a file declares, from its first KiB as Latin-1. Used with `auto`. */
  readonly declared?: (head: string) => string | undefined;
  /** Called with `auto` if the encoding is only a guess. */
  readonly onGuess?: (encoding: string) => void;
  /** Called with `auto` if a file declares an unknown encoding. */
  readonly onUnknown?: (declared: string) => void;
}

/** Converts a file in any encoding to UTF-8 without a byte-order mark. UTF-8 is passed unchanged. */
export class SourceText {
  /** The encoding of the file, for messages. With `auto`, it is set when it is detected. */
  encoding = UTF_8;
  /** The encoding that the file declares, if it is known. It is read only with UTF-8 and `auto`. */
  declared: string | undefined;
  /** The number of bytes of the byte-order mark, which is removed. Known when the first bytes are read as UTF-8. */
  markBytes = 0;
  readonly #file: SourceFile;
  readonly #options: SourceTextOptions;

  constructor(file: SourceFile, options: SourceTextOptions) {
    this.#file = file;
    this.#options = options;
  }

  /**
   * Returns the bytes. Can be called once.
   *
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read. Also throws it for a UTF-16 file that is read as UTF-8,
   * with or without a byte-order mark.
   */
  bytes(): ByteSource {
    const { encoding = UTF_8 } = this.#options;
    if (isAuto(encoding)) return this.#detected();
    if (isUtf8Label(encoding)) return this.#utf8();
    this.encoding = encoding;
    return transcoded(this.#file.bytes, this.#decoderOf(encoding));
  }

  async *#utf8(): ByteSource {
    const pieces = this.#file.bytes[Symbol.asyncIterator]();
    try {
      const head = await collect(pieces, Buffer.alloc(0), HEAD_BYTES);
      refuseUtf16(head, this.#file.path);
      this.declared = this.#declaredBy(head);
      // A byte-order mark is never data.
      if (markedEncoding(head) === 'utf-8') this.markBytes = UTF_8_MARK_BYTES;
      yield head.subarray(this.markBytes);
      yield* rest(pieces);
    } finally {
      await pieces.return?.();
    }
  }

  async *#detected(): ByteSource {
    const pieces = this.#file.bytes[Symbol.asyncIterator]();
    try {
      const head = await collect(pieces, Buffer.alloc(0), HEAD_BYTES);
      const marked = markedEncoding(head);
      const known =
        marked ?? unmarkedUtf16(head) ?? ebcdicEncoding(head) ?? this.#declaredBy(head, this.#options.onUnknown);
      if (known === undefined) yield* this.#guessed(head, pieces);
      else if (known !== 'utf-8') yield* this.#read(known, head, pieces);
      else {
        if (marked !== undefined) this.markBytes = UTF_8_MARK_BYTES;
        yield head.subarray(this.markBytes);
        yield* rest(pieces);
      }
    } finally {
      await pieces.return?.();
    }
  }

  /** Returns the encoding that the file declares, if it is known. */
  #declaredBy(head: Buffer, onUnknown?: (declared: string) => void): string | undefined {
    const declared = this.#options.declared?.(head.toString('latin1'));
    if (declared === undefined) return undefined;
    if (isUtf8Label(declared)) this.declared = 'utf-8';
    else if (DECODER_OF[this.#options.names](declared) !== undefined) this.declared = declared;
    else onUnknown?.(declared);
    return this.declared;
  }

  /** Passes ASCII, which is equal in all remaining encodings, and guesses the encoding at the first other byte. */
  async *#guessed(head: Buffer, pieces: AsyncIterator<Uint8Array>): ByteSource {
    let bytes = head;
    for (;;) {
      const at = firstTelling(bytes);
      if (at >= 0) {
        yield bytes.subarray(0, at);
        const sample = await collect(pieces, Buffer.from(bytes.subarray(at)), SAMPLE_BYTES);
        const encoding = await guessEncoding(sample.subarray(0, SAMPLE_BYTES));
        if (encoding === 'utf-8') {
          yield sample;
          yield* rest(pieces);
        } else {
          this.#options.onGuess?.(encoding);
          yield* this.#read(encoding, sample, pieces);
        }
        return;
      }
      yield bytes;
      const next = await pieces.next();
      if (next.done === true) return;
      bytes = asBuffer(next.value);
    }
  }

  async *#read(encoding: string, head: Buffer, pieces: AsyncIterator<Uint8Array>): ByteSource {
    this.encoding = encoding;
    const decoder = this.#decoderOf(encoding);
    yield Buffer.from(decoder.decode(head, true));
    yield* transcoded(rest(pieces), decoder);
  }

  #decoderOf(encoding: string): CharsetDecoder {
    const decoder = DECODER_OF[this.#options.names](encoding);
    if (decoder !== undefined) return decoder;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `The encoding "${encoding}" is not known`);
  }
}

/** Throws `HR_SOURCE_UNREADABLE` for UTF-16, because no character of the file would be readable as UTF-8. */
function refuseUtf16(head: Buffer, path: string): void {
  const mark = { fffe: 'FF FE', feff: 'FE FF' }[head.toString('hex', 0, 2)];
  const encoding = mark === undefined ? unmarkedUtf16(head) : 'utf-16';
  if (encoding === undefined) return;
  const sign = mark === undefined ? 'about every other byte is zero' : `it begins with ${mark}`;
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: the file is UTF-16 (${sign}), and is read as UTF-8`, {
    hint: `Set encoding: ${encoding}, or auto.`,
  });
}

/** Returns whether a label means UTF-8. */
function isUtf8Label(label: string): boolean {
  // Creating a decoder takes long for small files.
  if (label === UTF_8) return true;
  try {
    return new TextDecoder(label).encoding === 'utf-8';
  } catch {
    return false;
  }
}

async function* transcoded(source: ByteSource, decoder: CharsetDecoder): ByteSource {
  for await (const piece of source) yield Buffer.from(decoder.decode(piece, true));
  yield Buffer.from(decoder.decode(NO_BYTES, false));
}
