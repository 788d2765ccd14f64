/**
 * Writes messages in the format of Protocol Buffers, as far as ONNX models need it. Large byte fields are not copied:
 * the message is a list of chunks.
 */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** Writes a field that is an integer of at least 0. */
  integer(field: number, value: number): this {
    return this.#varint(field * 8).#varint(value);
  }

  /** Writes a field that is a float of 32 bits. */
  float(field: number, value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.#varint(field * 8 + 5).#add(bytes);
  }

  /** Writes a field that is a list of integers, packed. */
  integers(field: number, values: readonly number[]): this {
    const packed = new ProtobufWriter();
    for (const value of values) packed.#varint(value);
    return this.message(field, packed);
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#varint(field * 8 + 2)
      .#varint(value.length)
      .#add(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  message(
    field: number,
    { chunks, length }: { readonly chunks: readonly Uint8Array[]; readonly length: number },
  ): this {
    this.#varint(field * 8 + 2).#varint(length);
    for (const chunk of chunks) this.#add(chunk);
    return this;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** The length of the message in bytes. */
  get length(): number {
    return this.#length;
  }

  #varint(value: number): this {
    const bytes: number[] = [];
    let rest = value;
    while (rest >= 128) {
      bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    bytes.push(rest);
    return this.#add(Uint8Array.from(bytes));
  }

  #add(chunk: Uint8Array): this {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this;
  }
}
