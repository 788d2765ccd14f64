import { HeadraceError, integer } from '@headrace/engine';

/** Values without bytes, such as nulls in a list, that a message may have in addition to one value for each byte. */
const MAX_EMPTY = 10_000;
/** The maximum nesting of values. Deeper nesting would overflow the stack. */
const MAX_DEPTH = 500;

/** Returns the text of bytes, and reports those that are not UTF-8. */
export type TextReader = (bytes: Buffer) => string;

/** Reads the binary forms of Avro and Protobuf. Throws `HR_DOCUMENT_SYNTAX` if a value does not fit into the bytes. */
export class ByteReader {
  readonly bytes: Buffer;
  readonly format: string;
  at: number;
  end: number;
  /** How many more values a message may have. Without this limit, a few bytes could claim to be billions of values. */
  #values: number;
  #depth = 0;
  readonly #textOf: TextReader;

  constructor(bytes: Buffer, at: number, format: string, textOf: TextReader = (text) => text.toString('utf8')) {
    this.bytes = bytes;
    this.at = at;
    this.end = bytes.length;
    this.format = format;
    this.#textOf = textOf;
    this.#values = bytes.length + MAX_EMPTY;
  }

  /** Call this for each value. */
  count(): void {
    if (--this.#values < 0) throw this.error('it has more values than bytes');
  }

  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw this.error(`its values are nested deeper than ${MAX_DEPTH} levels`);
  }

  leave(): void {
    this.#depth--;
  }

  byte(): number {
    if (this.at >= this.end) throw this.tooShort();
    return this.bytes[this.at++] as number;
  }

  /** Returns a number of bytes without a copy. */
  take(length: number | bigint): Buffer {
    if (length < 0 || length > this.end - this.at) throw this.tooShort();
    const start = this.at;
    this.at += Number(length);
    return this.bytes.subarray(start, this.at);
  }

  text(length: number | bigint): string {
    return this.#textOf(this.take(length));
  }

  /** Returns an integer of variable length, without a sign, of at most 64 bits. */
  varint(): number | bigint {
    let value = 0;
    // Four bytes have 28 bits, which fit into a small integer.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    let long = BigInt(value);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      long |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return integer(BigInt.asUintN(64, long));
    }
    throw this.error('an integer has more than 10 bytes');
  }

  /** Returns an integer of variable length in zigzag form. */
  zigzag(): number | bigint {
    const value = this.varint();
    if (typeof value === 'number' && value <= 0x7fffffff) return (value >>> 1) ^ -(value & 1);
    const long = BigInt(value);
    return integer((long >> 1n) ^ -(long & 1n));
  }

  error(reason: string): HeadraceError {
    return new HeadraceError('HR_DOCUMENT_SYNTAX', `its ${this.format} cannot be read: ${reason}`);
  }

  tooShort(): HeadraceError {
    return this.error('it ends in the middle of a value, so another schema has written it');
  }
}
