import { crc32, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { maxValueBytes, parseJson } from 'headrace/engine';
import { snappyUncompress } from 'hyparquet';

/** A value of an Avro file. The members of a record have the ids of their fields, which Iceberg gives to all of them. */
export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly AvroValue[]
  | AvroRecord
  | ReadonlyMap<string, AvroValue>;

export type AvroRecord = ReadonlyMap<number, AvroValue>;

/** A file of records. */
export interface AvroFile {
  readonly metadata: ReadonlyMap<string, string>;
  readonly records: Generator<AvroRecord>;
}

/** Reads a value. The depth is that of the records around it. */
type Read = (input: Input, depth: number) => AvroValue;

/** Deeper records could need more stack than a thread has. */
const MAX_DEPTH = 100;
const SYNC_BYTES = 16;

/** Reads an Avro file. (Source: the specification of Avro 1.12, "Object Container Files" and "Binary encoding".) */
export function readAvro(bytes: Uint8Array): AvroFile {
  const input = new Input(bytes);
  if (Buffer.from(input.bytes(4)).toString('latin1') !== 'Obj\x01') throw new Error('it is not an Avro file');
  const metadata = new Map<string, string>();
  for (const [name, value] of readBlocks(input, () => [input.text(), input.text()] as const)) metadata.set(name, value);
  const sync = input.bytes(SYNC_BYTES);
  const read = new Schemas().reader(parseJson(metadata.get('avro.schema') ?? 'null'), 0);
  return { metadata, records: readRecords(input, metadata.get('avro.codec') ?? 'null', sync, read) };
}

function* readRecords(input: Input, codec: string, sync: Uint8Array, read: Read): Generator<AvroRecord> {
  while (!input.isAtEnd) {
    const count = input.int();
    const block = new Input(decompressed(input.bytes(input.size()), codec));
    if (Buffer.compare(input.bytes(SYNC_BYTES), sync) !== 0) throw new Error('the marker of a block is wrong');
    for (let i = 0; i < count; i++) {
      const before = block.at;
      const record = read(block, 0);
      if (!(record instanceof Map) || block.at === before) throw new Error('it has no records');
      yield record as AvroRecord;
    }
    if (!block.isAtEnd) throw new Error('a block has more bytes than its records');
  }
}

function decompressed(bytes: Uint8Array, codec: string): Uint8Array {
  const maxOutputLength = maxValueBytes();
  switch (codec) {
    case 'null':
      return bytes;
    case 'deflate':
      return inflateRawSync(bytes, { maxOutputLength });
    case 'zstandard':
      return zstdDecompressSync(bytes, { maxOutputLength });
    case 'snappy': {
      const compressed = bytes.subarray(0, -4);
      const length = new Input(compressed).unsigned();
      if (length > maxOutputLength) throw new Error(`a block has ${length} bytes`);
      const found = new Uint8Array(length);
      snappyUncompress(compressed, found);
      if (Buffer.from(bytes).readUInt32BE(compressed.length) !== crc32(found)) throw new Error('a checksum is wrong');
      return found;
    }
    default:
      throw new Error(`the codec ${codec} is not supported`);
  }
}

/** Lists and maps are written in blocks, of which an empty one is the last. */
function* readBlocks<T>(input: Input, item: () => T): Generator<T> {
  for (;;) {
    let count = input.int();
    if (count === 0) return;
    if (count < 0) {
      count = -count;
      input.size();
    }
    for (let i = 0; i < count; i++) {
      const before = input.at;
      yield item();
      // Without this check, a few bytes could state billions of items.
      if (input.at === before) throw new Error('an item of a list has no bytes');
    }
  }
}

/** Makes readers for the types of a schema. */
class Schemas {
  /** The named types, which a schema may use again. */
  readonly #named = new Map<string, Read>();

  reader(schema: unknown, depth: number): Read {
    if (depth > MAX_DEPTH) throw new Error(`its schema has more than ${MAX_DEPTH} levels`);
    if (Array.isArray(schema)) {
      const branches = schema.map((branch) => this.reader(branch, depth + 1));
      return (input, level) => {
        const branch = branches[input.int()];
        if (branch === undefined) throw new Error('a union has no such branch');
        return branch(input, level);
      };
    }
    if (typeof schema === 'string') {
      const primitive = PRIMITIVES[schema] ?? this.#named.get(schema);
      if (primitive === undefined) throw new Error(`its schema has the unknown type ${schema}`);
      return primitive;
    }
    const { type, name, namespace, fields, items, values, symbols, size } = (schema ?? {}) as Record<string, unknown>;
    let read: Read;
    switch (type) {
      case 'record': {
        const members: (readonly [id: number, read: Read])[] = [];
        read = (input, level) => {
          if (level > MAX_DEPTH) throw new Error(`its records have more than ${MAX_DEPTH} levels`);
          const record = new Map<number, AvroValue>();
          for (const [id, member] of members) record.set(id, member(input, level + 1));
          return record;
        };
        this.#name(name, namespace, read);
        for (const field of fields as readonly Record<string, unknown>[]) {
          members.push([Number(field['field-id']), this.reader(field['type'], depth + 1)]);
        }
        return read;
      }
      case 'array': {
        const item = this.reader(items, depth + 1);
        return (input, level) => [...readBlocks(input, () => item(input, level + 1))];
      }
      case 'map': {
        const value = this.reader(values, depth + 1);
        return (input, level) =>
          new Map(readBlocks(input, () => [input.text(), value(input, level + 1)] as const)) as ReadonlyMap<
            string,
            AvroValue
          >;
      }
      case 'fixed': {
        const length = Number(size);
        read = (input) => input.bytes(length);
        break;
      }
      case 'enum': {
        const texts = symbols as readonly string[];
        read = (input) => texts[input.int()] ?? null;
        break;
      }
      default:
        return this.reader(type, depth + 1);
    }
    this.#name(name, namespace, read);
    return read;
  }

  #name(name: unknown, namespace: unknown, read: Read): void {
    if (typeof name !== 'string') return;
    this.#named.set(name, read);
    if (typeof namespace === 'string') this.#named.set(`${namespace}.${name}`, read);
  }
}

const PRIMITIVES: Readonly<Record<string, Read | undefined>> = Object.assign(Object.create(null), {
  null: () => null,
  boolean: (input) => input.bytes(1)[0] === 1,
  int: (input) => input.int(),
  long: (input) => input.long(),
  float: (input) => input.float(),
  double: (input) => input.double(),
  bytes: (input) => input.bytes(input.size()),
  string: (input) => input.text(),
} satisfies Record<string, Read>);

/** Reads the bytes of an Avro file in sequence. */
class Input {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  bytes(count: number): Uint8Array {
    const from = this.at;
    if (!(count >= 0 && from + count <= this.#bytes.length)) throw new Error('it ends too early');
    this.at += count;
    return this.#bytes.subarray(from, this.at);
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  text(): string {
    return Buffer.from(this.bytes(this.size())).toString('utf8');
  }

  /** A number of bytes or records. */
  size(): number {
    const size = this.int();
    if (size < 0 || size > this.#bytes.length) throw new Error(`it states a size of ${size}`);
    return size;
  }

  int(): number {
    const number = Number(this.long());
    if (!Number.isSafeInteger(number)) throw new Error(`a number is too large: ${number}`);
    return number;
  }

  /** Small numbers have few bytes, and the lowest bit is the sign. */
  long(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift > 63n) throw new Error('a number has too many bytes');
      const byte = this.bytes(1)[0] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
  }

  unsigned(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes(1)[0] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (scale > 2 ** 32) throw new Error('a number has too many bytes');
    }
  }

  #take(count: number): number {
    const from = this.at;
    this.bytes(count);
    return from;
  }
}
