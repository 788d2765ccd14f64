import { double, HeadraceError, type JsonObject, readJson, type Value, widenFloat } from '@headrace/engine';
import { namedReader } from '../connect-values.ts';
import { dateOf, decimalOf, instantOf, timeOf } from '../logical-values.ts';
import { ByteReader, type TextReader } from './byte-reader.ts';

type Reader = (input: ByteReader) => Value;
type Convert = (value: Value) => Value;

const PRIMITIVES: Readonly<Record<string, Reader>> = {
  null: () => null,
  boolean: (input) => input.byte() !== 0,
  int: (input) => input.zigzag(),
  long: (input) => input.zigzag(),
  float: (input) => double(widenFloat(input.take(4).readFloatLE(0))),
  double: (input) => double(input.take(8).readDoubleLE(0)),
  bytes: (input) => new Uint8Array(input.take(input.zigzag())),
  string: (input) => input.text(input.zigzag()),
};

/**
 * Compiles an Avro schema and the schemas that it refers to. Returns the function that reads a value. A schema is read
 * by us and not by a library, because libraries generate code from schemas and trust the lengths in messages.
 */
export function compileAvro(texts: readonly string[]): (bytes: Buffer, at: number, textOf?: TextReader) => Value {
  const compiler = new Compiler();
  let read: Reader = PRIMITIVES.null as Reader;
  for (const text of texts) read = compiler.compile(readJson(text), '');
  compiler.requireAll();
  return (bytes, at, textOf) => {
    const input = new ByteReader(bytes, at, 'Avro', textOf);
    const value = read(input);
    if (input.at !== input.end) throw input.error('bytes follow its value, so another schema has written it');
    return value;
  };
}

class Compiler {
  readonly #named = new Map<string, { reader: Reader | undefined }>();

  compile(schema: Value, namespace: string): Reader {
    if (typeof schema === 'string') {
      return Object.hasOwn(PRIMITIVES, schema) ? counted(PRIMITIVES[schema] as Reader) : this.#refer(schema, namespace);
    }
    if (Array.isArray(schema)) return this.#union(schema, namespace);
    if (!(schema instanceof Map)) throw wrong('a type is neither a name nor an object');
    const read = this.#typeOf(schema, namespace);
    const convert = converter(schema);
    return convert === undefined ? read : (input) => convert(read(input));
  }

  requireAll(): void {
    for (const [name, { reader }] of this.#named) if (reader === undefined) throw wrong(`the type ${name} is missing`);
  }

  #typeOf(schema: JsonObject, namespace: string): Reader {
    const type = schema.get('type');
    switch (type) {
      case 'record':
      case 'error':
        return this.#record(schema, namespace);
      case 'enum': {
        const symbols = schema.get('symbols');
        if (!Array.isArray(symbols)) throw wrong('an enum has no symbols');
        return this.#define(schema, namespace, (input) => {
          input.count();
          const symbol = symbols[Number(input.zigzag())];
          if (typeof symbol !== 'string') throw input.error('an enum has no such symbol');
          return symbol;
        });
      }
      case 'fixed': {
        const size = schema.get('size');
        if (typeof size !== 'number' || !Number.isInteger(size) || size < 0) throw wrong('a fixed has no size');
        return this.#define(schema, namespace, (input) => {
          input.count();
          return new Uint8Array(input.take(size));
        });
      }
      case 'array':
        return list(this.compile(schema.get('items') ?? null, namespace));
      case 'map':
        return map(this.compile(schema.get('values') ?? null, namespace));
      default:
        return this.compile(type ?? null, namespace);
    }
  }

  #record(schema: JsonObject, namespace: string): Reader {
    const fields = schema.get('fields');
    if (!Array.isArray(fields)) throw wrong('a record has no fields');
    const names: string[] = [];
    const readers: Reader[] = [];
    const read = this.#define(schema, namespace, (input) => {
      input.count();
      input.enter();
      const record: JsonObject = new Map();
      for (let i = 0; i < names.length; i++) record.set(names[i] as string, (readers[i] as Reader)(input));
      input.leave();
      return record;
    });
    const inner = namespaceOf(fullName(schema, namespace));
    for (const field of fields) {
      const name = field instanceof Map ? field.get('name') : undefined;
      if (typeof name !== 'string') throw wrong('a field has no name');
      names.push(name);
      readers.push(this.compile((field as JsonObject).get('type') ?? null, inner));
    }
    return read;
  }

  #union(branches: readonly Value[], namespace: string): Reader {
    const readers = branches.map((branch) => this.compile(branch, namespace));
    return (input) => {
      const reader = readers[Number(input.zigzag())];
      if (reader === undefined) throw input.error('a union has no such branch');
      return reader(input);
    };
  }

  #define(schema: JsonObject, namespace: string, reader: Reader): Reader {
    const name = fullName(schema, namespace);
    this.#entry(name).reader = reader;
    return reader;
  }

  /** A type may refer to itself, so the reader is looked up when a value is read. */
  #refer(name: string, namespace: string): Reader {
    const full = name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
    // A reference to another schema may omit the namespace if it has none.
    const entry = this.#entry(this.#named.has(full) || !this.#named.has(name) ? full : name);
    return (input) => (entry.reader as Reader)(input);
  }

  #entry(name: string): { reader: Reader | undefined } {
    return this.#named.getOrInsertComputed(name, () => ({ reader: undefined }));
  }
}

function fullName(schema: JsonObject, namespace: string): string {
  const name = schema.get('name');
  if (typeof name !== 'string') throw wrong('a named type has no name');
  if (name.includes('.')) return name;
  const own = schema.get('namespace');
  const space = typeof own === 'string' ? own : namespace;
  return space === '' ? name : `${space}.${name}`;
}

function namespaceOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

function counted(read: Reader): Reader {
  return (input) => {
    input.count();
    return read(input);
  };
}

function list(item: Reader): Reader {
  return (input) => {
    input.enter();
    const values: Value[] = [];
    for (let count = blockCount(input); count > 0n; count = blockCount(input)) {
      for (; count > 0n; count--) values.push(item(input));
    }
    input.leave();
    return values;
  };
}

function map(member: Reader): Reader {
  const key = PRIMITIVES.string as Reader;
  return (input) => {
    input.enter();
    const object: JsonObject = new Map();
    for (let count = blockCount(input); count > 0n; count = blockCount(input)) {
      for (; count > 0n; count--) object.set(key(input) as string, member(input));
    }
    input.leave();
    return object;
  };
}

/** A negative count is followed by the size of the block in bytes. */
function blockCount(input: ByteReader): bigint {
  const count = BigInt(input.zigzag());
  if (count >= 0n) return count;
  input.zigzag();
  return -count;
}

/** Returns the conversion of a logical type, or of a type of Kafka Connect. Returns undefined for other types. */
function converter(schema: JsonObject): Convert | undefined {
  const named = namedReader(schema.get('connect.name'));
  const parameters = schema.get('connect.parameters');
  const logical = logicalType(schema);
  if (logical !== undefined) return logical;
  return named && ((value) => named(value, parameters instanceof Map ? parameters : undefined));
}

function logicalType(schema: JsonObject): Convert | undefined {
  const type = schema.get('type');
  const ofBytes = type === 'bytes' || type === 'fixed';
  const ofNumber = type === 'int' || type === 'long';
  const logical = schema.get('logicalType');
  if (logical === 'decimal' && ofBytes) {
    const scale = Number(schema.get('scale') ?? 0);
    if (!Number.isInteger(scale) || scale < 0 || scale > 10_000) return undefined;
    return (value) => decimalOf(value as Uint8Array, scale);
  }
  if (logical === 'uuid' && type === 'fixed') return (value) => uuidText(value as Uint8Array);
  if (logical === 'duration' && type === 'fixed') return (value) => durationText(value as Uint8Array);
  if (!ofNumber || typeof logical !== 'string') return undefined;
  if (logical === 'date') return dateOf;
  const [, what, unit] = /^(time|timestamp|local-timestamp)-(millis|micros|nanos)$/.exec(logical) ?? [];
  if (what === undefined) return undefined;
  const its = unit as 'millis' | 'micros' | 'nanos';
  if (what === 'time') return (value) => timeOf(value, its);
  return (value) => instantOf(value, its, what === 'timestamp' ? 'Z' : '');
}

function uuidText(bytes: Uint8Array): Value {
  if (bytes.length !== 16) return bytes;
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns months, days and milliseconds as an ISO duration: `P1M2DT3.004S`. */
function durationText(bytes: Uint8Array): Value {
  if (bytes.length !== 12) return bytes;
  const buffer = Buffer.from(bytes);
  return `P${buffer.readUInt32LE(0)}M${buffer.readUInt32LE(4)}DT${buffer.readUInt32LE(8) / 1000}S`;
}

function wrong(reason: string): HeadraceError {
  return new HeadraceError('HR_DOCUMENT_TYPE', `the Avro schema cannot be used: ${reason}`);
}
