/** A structure of Thrift. The fields have the numbers that parquet.thrift gives them. */
export interface Thrift {
  readonly [field: `field_${number}`]: unknown;
}

/** A position in bytes. */
export interface ByteReader {
  readonly view: DataView;
  offset: number;
}

/** The types of the compact protocol. Parquet has no maps and no sets. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const STRUCT = 12;
/** A list has its length in the byte of its type, unless that has this value. */
const LONG_LIST = 15;

/**
 * Reads a structure in the compact protocol of Thrift, and moves the reader to the bytes after it. Integers of 64 bits are bigints,
 * and texts are bytes. Throws if the bytes end before the structure. (Source: thrift-compact-protocol.md of Apache
 * Thrift.)
 */
export function readThrift(reader: ByteReader): Thrift {
  const fields: Record<`field_${number}`, unknown> = {};
  for (let number = 0; ; ) {
    const byte = reader.view.getUint8(reader.offset++);
    const type = byte & 0x0f;
    if (type === STOP) return fields;
    // The difference from the number before, or the number itself.
    number = byte > 0x0f ? number + (byte >> 4) : zigZag(varInt(reader));
    // A boolean is its type.
    fields[`field_${number}`] = type === TRUE || type === FALSE ? type === TRUE : element(reader, type);
  }
}

function element(reader: ByteReader, type: number): unknown {
  const { view } = reader;
  switch (type) {
    case TRUE:
    case FALSE:
      return view.getUint8(reader.offset++) === TRUE;
    case BYTE:
      return view.getInt8(reader.offset++);
    case I16:
    case I32:
      return zigZag(varInt(reader));
    case I64: {
      const whole = varBigInt(reader);
      return (whole >> 1n) ^ -(whole & 1n);
    }
    case DOUBLE:
      reader.offset += 8;
      return view.getFloat64(reader.offset - 8, true);
    case BINARY: {
      const length = varInt(reader);
      const start = reader.offset;
      requireBytes(reader, length);
      reader.offset += length;
      return new Uint8Array(view.buffer, view.byteOffset + start, length);
    }
    case LIST: {
      const byte = view.getUint8(reader.offset++);
      const stated = byte >> 4;
      const length = stated === LONG_LIST ? varInt(reader) : stated;
      // Each element has at least one byte.
      requireBytes(reader, length);
      return Array.from({ length }, () => element(reader, byte & 0x0f));
    }
    case STRUCT:
      return readThrift(reader);
    default:
      throw new Error(`a structure has a field of the unknown type ${type}`);
  }
}

function requireBytes({ view, offset }: ByteReader, length: number): void {
  const left = view.byteLength - offset;
  if (length > left) throw new Error(`a structure states ${length} bytes or elements, and ${left} bytes are left`);
}

/** Reads seven bits from each byte until one without the highest bit. */
function varInt(reader: ByteReader): number {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.view.getUint8(reader.offset++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
  throw new Error('a structure has an integer of more than 32 bits');
}

function varBigInt(reader: ByteReader): bigint {
  let value = 0;
  let whole = 0n;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = reader.view.getUint8(reader.offset++);
    // Most integers fit into a number, which is faster.
    if (shift < 49) value += (byte & 0x7f) * 2 ** shift;
    else whole |= BigInt(byte & 0x7f) << BigInt(shift);
    if (byte < 0x80) return whole | BigInt(value);
  }
  throw new Error('a structure has an integer of more than 64 bits');
}

function zigZag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}
