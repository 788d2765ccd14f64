import { HeadraceError, type Value } from '@headrace/engine';
import { compileAvro } from './avro.ts';
import type { TextReader } from './byte-reader.ts';
import { ProtobufReader } from './protobuf-values.ts';
import { PREFIX_BYTES, type RegisteredSchema } from './registered-schema.ts';

/** A schema whose messages are not JSON. */
type BinarySchema = Exclude<RegisteredSchema, { kind: 'json' }>;

type Read = (bytes: Buffer, at: number, textOf: TextReader) => Value;

/** The maximum number of compiled schemas of a thread. */
const MAX_READERS = 500;

/** Reads messages by their schemas. Compiles each schema once. */
export class SchemaReaders {
  readonly #readers = new Map<number, Read>();

  /** Returns the value of a message with the prefix of its schema. Throws if another schema has written it. */
  read(bytes: Buffer, id: number, schema: BinarySchema, textOf: TextReader): Value {
    let read = this.#readers.get(id);
    if (read === undefined) {
      read = readerOf(schema);
      if (this.#readers.size >= MAX_READERS) this.#readers.clear();
      // It may be registered later.
      if (schema.kind !== 'unusable') this.#readers.set(id, read);
    }
    return read(bytes, PREFIX_BYTES, textOf);
  }
}

function readerOf(schema: BinarySchema): Read {
  switch (schema.kind) {
    case 'avro':
      return compileAvro(schema.texts);
    case 'protobuf': {
      const reader = new ProtobufReader(schema.schema);
      return (bytes, at, textOf) => reader.read(bytes, at, textOf);
    }
    case 'unusable':
      return () => {
        throw new HeadraceError('HR_DOCUMENT_TYPE', schema.reason);
      };
  }
}
