import { double, integer, type JsonObject, type Value, widenFloat } from '@headrace/engine';
import { dateOf, decimalOf, instantOf } from '../logical-values.ts';
import { ByteReader, type TextReader } from './byte-reader.ts';
import type { ProtobufField, ProtobufSchema } from './protobuf-schema.ts';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

interface Scalar {
  readonly wire: number;
  readonly empty: Value;
  read(input: ByteReader): Value;
}

const bits = (value: number | bigint, size: 32 | 64) => integer(BigInt.asIntN(size, BigInt(value)));
const SCALARS: Readonly<Record<string, Scalar>> = {
  bool: { wire: VARINT, empty: false, read: (input) => input.varint() !== 0 },
  int32: { wire: VARINT, empty: 0, read: (input) => bits(input.varint(), 32) },
  int64: { wire: VARINT, empty: 0, read: (input) => bits(input.varint(), 64) },
  uint32: { wire: VARINT, empty: 0, read: (input) => integer(BigInt.asUintN(32, BigInt(input.varint()))) },
  uint64: { wire: VARINT, empty: 0, read: (input) => input.varint() },
  sint32: { wire: VARINT, empty: 0, read: (input) => input.zigzag() },
  sint64: { wire: VARINT, empty: 0, read: (input) => input.zigzag() },
  fixed32: { wire: FIXED32, empty: 0, read: (input) => input.take(4).readUInt32LE(0) },
  sfixed32: { wire: FIXED32, empty: 0, read: (input) => input.take(4).readInt32LE(0) },
  float: { wire: FIXED32, empty: double(0), read: (input) => double(widenFloat(input.take(4).readFloatLE(0))) },
  fixed64: { wire: FIXED64, empty: 0, read: (input) => integer(input.take(8).readBigUInt64LE(0)) },
  sfixed64: { wire: FIXED64, empty: 0, read: (input) => integer(input.take(8).readBigInt64LE(0)) },
  double: { wire: FIXED64, empty: double(0), read: (input) => double(input.take(8).readDoubleLE(0)) },
  string: { wire: LENGTH, empty: '', read: (input) => input.text(input.varint()) },
  bytes: { wire: LENGTH, empty: '', read: (input) => new Uint8Array(input.take(input.varint())) },
};

/** Reads messages of a Protobuf schema as objects, with the names of the schema. */
export class ProtobufReader {
  readonly #schema: ProtobufSchema;

  constructor(schema: ProtobufSchema) {
    this.#schema = schema;
  }

  /** Reads a message from the list of its position in the schema on, as Confluent's serializers write it. */
  read(bytes: Buffer, at: number, textOf?: TextReader): Value {
    const input = new ByteReader(bytes, at, 'Protobuf', textOf);
    return this.#message(input, this.#nameAt(input));
  }

  /** A list of positions: a message of the file, one inside of it, and so on. An empty list is the first message. */
  #nameAt(input: ByteReader): string {
    const count = Number(input.zigzag());
    if (count < 0 || count > input.end - input.at) throw input.error('its list of positions is wrong');
    let [found, inside] = [this.#schema.files[0], this.#schema.files];
    for (let i = 0; i < count; i++) {
      found = inside[Number(input.zigzag())];
      if (found === undefined) break;
      inside = found.inner;
    }
    if (found === undefined) throw input.error('the schema has no message at its position');
    return found.name;
  }

  /** Reads a message to the end of the input, or to the end of its group. */
  #message(input: ByteReader, name: string, group?: number): Value {
    input.enter();
    const fields = this.#schema.messages[name] ?? {};
    const found: JsonObject = new Map();
    while (input.at < input.end) {
      const tag = Number(input.varint());
      const [number, wire] = [Math.floor(tag / 8), tag % 8];
      if (wire === END_GROUP && number === group) break;
      const field = Object.hasOwn(fields, number) ? fields[number] : undefined;
      if (field === undefined || !this.#read(input, field, wire, number, found)) skip(input, number, wire);
    }
    const object: JsonObject = new Map();
    for (const field of Object.values(fields)) {
      const value = found.get(field.name) ?? (field.hasDefault ? this.#emptyOf(field.type) : undefined);
      if (value !== undefined) object.set(field.name, value);
    }
    input.leave();
    return wellKnown(name, object);
  }

  /** Reads a field. Returns false if its form is not that of its type: then it is unknown, as in all libraries. */
  #read(input: ByteReader, field: ProtobufField, wire: number, number: number, found: JsonObject): boolean {
    const { name, type } = field;
    if (field.keyType !== undefined) {
      if (wire !== LENGTH) return false;
      const object = found.getOrInsertComputed(name, () => new Map()) as JsonObject;
      within(input, () => this.#entry(input, field, object));
      return true;
    }
    const scalar = this.#scalar(type);
    const expected = scalar?.wire ?? LENGTH;
    if (field.repeated) {
      const list = found.getOrInsertComputed(name, () => []) as Value[];
      if (scalar !== undefined && wire === LENGTH && expected !== LENGTH) {
        within(input, () => {
          while (input.at < input.end) list.push(counted(input, scalar));
        });
        return true;
      }
      if (wire !== expected && !(scalar === undefined && wire === START_GROUP)) return false;
      list.push(this.#value(input, type, wire, number));
      return true;
    }
    if (wire !== expected && !(scalar === undefined && wire === START_GROUP)) return false;
    const value = this.#value(input, type, wire, number);
    const before = found.get(name);
    // The parts of a message that comes several times belong together.
    if (before instanceof Map && value instanceof Map) for (const [key, member] of value) before.set(key, member);
    else found.set(name, value);
    return true;
  }

  #value(input: ByteReader, type: string, wire: number, number: number): Value {
    const scalar = this.#scalar(type);
    if (scalar !== undefined) return counted(input, scalar);
    input.count();
    if (wire === START_GROUP) return this.#message(input, type, number);
    return within(input, () => this.#message(input, type));
  }

  #entry(input: ByteReader, { type, keyType = 'string' }: ProtobufField, object: JsonObject): void {
    const keys = this.#scalar(keyType);
    let key = String(keys?.empty);
    let value: Value = this.#emptyOf(type) ?? new Map();
    while (input.at < input.end) {
      const tag = Number(input.varint());
      const [number, wire] = [Math.floor(tag / 8), tag % 8];
      if (number === 1 && keys !== undefined && wire === keys.wire) key = String(counted(input, keys));
      else if (number === 2 && wire === (this.#scalar(type)?.wire ?? LENGTH)) value = this.#value(input, type, wire, 2);
      else skip(input, number, wire);
    }
    object.set(key, value);
  }

  #scalar(type: string): Scalar | undefined {
    if (Object.hasOwn(SCALARS, type)) return SCALARS[type];
    const names = Object.hasOwn(this.#schema.enums, type) ? this.#schema.enums[type] : undefined;
    if (names === undefined) return undefined;
    const nameOf = (number: number) => (Object.hasOwn(names, number) ? (names[number] as string) : number);
    return { wire: VARINT, empty: nameOf(0), read: (input) => nameOf(Number(bits(input.varint(), 32))) };
  }

  #emptyOf(type: string): Value | undefined {
    return this.#scalar(type)?.empty;
  }
}

function counted(input: ByteReader, scalar: Scalar): Value {
  input.count();
  return scalar.read(input);
}

/** Reads a value with a length. */
function within<T>(input: ByteReader, read: () => T): T {
  const length = input.varint();
  if (length > input.end - input.at) throw input.tooShort();
  const { end } = input;
  input.end = input.at + Number(length);
  const value = read();
  input.end = end;
  return value;
}

function skip(input: ByteReader, number: number, wire: number): void {
  switch (wire) {
    case VARINT:
      input.varint();
      return;
    case FIXED64:
      input.take(8);
      return;
    case LENGTH:
      input.take(input.varint());
      return;
    case FIXED32:
      input.take(4);
      return;
    case START_GROUP:
      input.enter();
      for (;;) {
        const tag = Number(input.varint());
        if (tag % 8 === END_GROUP && Math.floor(tag / 8) === number) break;
        skip(input, Math.floor(tag / 8), tag % 8);
      }
      input.leave();
      return;
    default:
      throw input.error(`a field has the unknown form ${wire}`);
  }
}

/** The messages of Google that mean one value, as in Protobuf's JSON. Other messages are unchanged. */
function wellKnown(name: string, message: JsonObject): Value {
  switch (name) {
    case 'google.protobuf.Timestamp': {
      const nanos = nanosOf(message);
      return nanos === undefined ? message : instantOf(integer(nanos), 'nanos', 'Z');
    }
    case 'google.protobuf.Duration': {
      const nanos = nanosOf(message);
      return nanos === undefined ? message : `${secondsText(nanos)}s`;
    }
    case 'google.protobuf.DoubleValue':
    case 'google.protobuf.FloatValue':
    case 'google.protobuf.Int64Value':
    case 'google.protobuf.UInt64Value':
    case 'google.protobuf.Int32Value':
    case 'google.protobuf.UInt32Value':
    case 'google.protobuf.BoolValue':
    case 'google.protobuf.StringValue':
    case 'google.protobuf.BytesValue':
      return message.get('value') ?? null;
    case 'google.protobuf.Struct':
      return message.get('fields') ?? new Map();
    case 'google.protobuf.ListValue':
      return message.get('values') ?? [];
    case 'google.protobuf.Value': {
      // Exactly one member is set; it is null for NULL_VALUE.
      const [kind, value] = [...message][0] ?? [];
      return kind === 'nullValue' || kind === 'null_value' || value === undefined ? null : value;
    }
    case 'google.protobuf.FieldMask': {
      const paths = message.get('paths');
      return Array.isArray(paths) ? paths.join(',') : '';
    }
    case 'google.type.Date': {
      const [year, month, day] = ['year', 'month', 'day'].map((part) => Number(message.get(part) ?? 0));
      const days = Date.UTC(year as number, (month as number) - 1, day) / 86_400_000;
      return year && month && day && Number.isSafeInteger(days) ? dateOf(days) : message;
    }
    case 'confluent.type.Decimal': {
      const [bytes, scale] = [message.get('value'), Number(message.get('scale') ?? 0)];
      return bytes instanceof Uint8Array && Math.abs(scale) <= 10_000 ? decimalOf(bytes, scale) : message;
    }
    default:
      return message;
  }
}

/** Returns undefined for a message of another schema with the same name. */
function nanosOf(message: JsonObject): bigint | undefined {
  const [seconds, nanos] = [message.get('seconds') ?? 0, message.get('nanos') ?? 0];
  const isInteger = (value: Value) => typeof value === 'bigint' || Number.isSafeInteger(value);
  if (!isInteger(seconds) || !isInteger(nanos)) return undefined;
  return BigInt(seconds as number | bigint) * 1_000_000_000n + BigInt(nanos as number | bigint);
}

function secondsText(nanos: bigint): string {
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`;
}
