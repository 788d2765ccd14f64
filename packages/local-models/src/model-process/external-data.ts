/** Finds references to other files in ONNX models. The numbers are those of the fields in onnx.proto3. */

/** The fields of a message that contain messages which may contain tensors. */
type Message = { readonly [field: number]: () => Message };

const TENSOR: Message = {};
const SPARSE_TENSOR: Message = { 1: () => TENSOR, 2: () => TENSOR };
const ATTRIBUTE: Message = {
  5: () => TENSOR,
  6: () => GRAPH,
  10: () => TENSOR,
  11: () => GRAPH,
  22: () => SPARSE_TENSOR,
  23: () => SPARSE_TENSOR,
};
const NODE: Message = { 5: () => ATTRIBUTE };
const GRAPH: Message = { 1: () => NODE, 5: () => TENSOR, 15: () => SPARSE_TENSOR };
const FUNCTION: Message = { 7: () => NODE, 11: () => ATTRIBUTE };
const TRAINING: Message = { 1: () => GRAPH, 2: () => GRAPH };
const MODEL: Message = { 7: () => GRAPH, 20: () => TRAINING, 25: () => FUNCTION };

/** The fields of a tensor whose data is in another file: the description of the file, and the place of the data. */
const EXTERNAL_DATA = 13;
const DATA_LOCATION = 14;

/** Wire types, see https://protobuf.dev/programming-guides/encoding. */
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const MAX_VARINT_BYTES = 10;
/** As in the library of ONNX Runtime. */
const MAX_DEPTH = 100;

/**
 * Returns whether a tensor of a model has its data outside the model: in the main graph, in subgraphs, functions,
 * attributes or sparse tensors. Throws if the bytes are not a message of Protocol Buffers. Also rejects what no writer of
 * models uses, such as groups, so that no other reader can find more in the bytes than this one.
 */
export function hasExternalData(model: Uint8Array): boolean {
  return new Reader(model).search(MODEL, 0, model.length, 0);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns whether a message, or one inside of it, is a tensor with external data. */
  search(message: Message, from: number, to: number, depth: number): boolean {
    if (depth > MAX_DEPTH) throw invalid(`messages are nested more than ${MAX_DEPTH} times`, from);
    this.#at = from;
    while (this.#at < to) {
      const start = this.#at;
      const tag = this.#varint(to);
      // A field number has 29 bits.
      if (tag > 0xffffffffn || tag < 8n) throw invalid('a field has an invalid number', start);
      const [field, wire] = [Number(tag >> 3n), Number(tag & 7n)];
      if (wire === VARINT) {
        const value = this.#varint(to);
        // Other readers use the lower half of a number that is too large. 0 is the place inside the model.
        if (message === TENSOR && field === DATA_LOCATION && (value & 0xffffffffn) !== 0n) return true;
      } else if (wire === BYTES) {
        const length = this.#varint(to);
        if (length > BigInt(to - this.#at)) throw invalid('a field is longer than its message', start);
        const end = this.#at + Number(length);
        if (message === TENSOR && field === EXTERNAL_DATA) return true;
        const inner = message[field]?.();
        if (inner !== undefined && this.search(inner, this.#at, end, depth + 1)) return true;
        this.#at = end;
      } else {
        this.#at += wire === FIXED64 ? 8 : wire === FIXED32 ? 4 : Number.POSITIVE_INFINITY;
        if (this.#at > to) throw invalid('a field has an invalid type or is longer than its message', start);
      }
    }
    return false;
  }

  #varint(to: number): bigint {
    const start = this.#at;
    let value = 0n;
    for (let i = 0; i < MAX_VARINT_BYTES && this.#at < to; i++) {
      const byte = this.#bytes[this.#at++] as number;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw invalid('a number has no end', start);
  }
}

function invalid(reason: string, at: number): Error {
  return new Error(`the ONNX file is not a protobuf message: at byte ${at}, ${reason}`);
}
