import { isUtf8 } from 'node:buffer';
import {
  Document,
  HeadraceError,
  type JsonObject,
  JsonObjectReader,
  JsonSyntaxError,
  type ModuleReference,
  messageOf,
  type NoticeCode,
  type RecordDecoder,
  type RecordNotice,
  type RecordSink,
  readJson,
  readJsonSequence,
  Shape,
  textOf,
  type Value,
} from '@headrace/engine';
import { invalidUtf8Bytes } from '@headrace/formats/charsets';
import { connectKey, removeUnavailable, rowChange } from './debezium.ts';
import { idOfKey } from './message-key.ts';
import { MAGIC_BYTE, PREFIX_BYTES, type RegisteredSchema, schemaIdOf } from './schemas/registered-schema.ts';
import { SchemaReaders } from './schemas/schema-readers.ts';

/** How messages are decoded into documents. Plain data, so that it can be sent to another thread. */
export interface MessageDecoderOptions {
  readonly topic: string;
  readonly docIdPrefix: string;
  /** Whether the id is the value of `idField` or the key of the message. */
  readonly idFrom: 'field' | 'key';
  readonly idField: string;
  /** What a message without a value does. */
  readonly tombstones: 'delete' | 'ignore' | 'fail';
  /** The fields of the headers of the position. */
  readonly headerFields: readonly string[];
  readonly unwrap: 'debezium' | undefined;
}

/**
 * The position of each message of a chunk, in order, and its length in bytes. The length -1 means that the message has
 * no value. If there are lengths of keys, the key of each message follows its value.
 */
export interface MessagePositions {
  readonly partitions: Int32Array;
  readonly offsets: BigInt64Array;
  readonly lengths: Int32Array;
  readonly keyLengths?: Int32Array;
  /** For each message, the values of its headers with the number of their field. Each character is a byte. */
  readonly headers?: readonly (readonly (readonly [at: number, value: string])[])[];
  /** The schemas of the messages. Undefined without a schema registry. */
  readonly schemas?: ReadonlyMap<number, RegisteredSchema>;
}

/** The field of a request to delete, for destinations that cannot delete. */
export const DELETED_FIELD = 'kafka_deleted';

/** A message of a chunk. */
interface Message {
  readonly value: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly schemas: ReadonlyMap<number, RegisteredSchema> | undefined;
  readonly notices: MessageNotices;
}

/** Receives the notices of a message. */
type MessageNotices = (code: NoticeCode, details: RecordNotice) => void;

const OPEN_OBJECT = 123;

/** Decodes messages into documents. */
export class MessageDecoder implements RecordDecoder {
  readonly #options: MessageDecoderOptions;
  readonly #reader = new JsonObjectReader();
  readonly #schemas = new SchemaReaders();
  /** The field names of the previous message. */
  #names: Shape | undefined = undefined;
  #shape = Shape.of([]);
  #keyAt = -1;
  #idAt = -1;

  constructor(options: MessageDecoderOptions) {
    this.#options = options;
  }

  static reference(options: MessageDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'MessageDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { partitions, offsets, lengths, keyLengths, headers, schemas } = position as MessagePositions;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const next = (length: number) => {
      const start = at;
      at += Math.max(length, 0);
      return length < 0 ? undefined : buffer.subarray(start, at);
    };
    const place = (i: number) => `topic ${this.#options.topic}, partition ${partitions[i]}, offset ${offsets[i]}`;
    let i = 0;
    const notices: MessageNotices = (code, details) => sink.notice(code, { file: place(i), ...details });
    for (; i < lengths.length; i++) {
      const value = next(lengths[i] as number);
      const key = next(keyLengths?.[i] ?? -1);
      let document: Document | undefined;
      try {
        document = this.#document({ value, key, schemas, notices });
        if (document !== undefined && headers !== undefined) this.#addHeaders(document, headers[i] ?? [], notices);
      } catch (error) {
        if (!(error instanceof HeadraceError)) throw error;
        sink.reject({ place: place(i), message: messageOf(error) });
        continue;
      }
      // This call is outside `try`: an error of the pipeline is not an error of the message.
      if (document !== undefined) sink.document(document);
    }
  }

  /** Returns the document of a message. Returns undefined if the message has none. */
  #document(message: Message): Document | undefined {
    const { value, schemas } = message;
    if (value === undefined) return this.#tombstone(message);
    const schemaId = value[0] === MAGIC_BYTE ? this.#schemaIdOf(value, schemas) : undefined;
    const schema = schemaId === undefined ? undefined : schemas?.get(schemaId);
    if (schemaId !== undefined && schema !== undefined && schema.kind !== 'json') {
      return this.#ofValue(
        this.#schemas.read(value, schemaId, schema, (part) => textOfBytes(part, message.notices)),
        message,
      );
    }
    const text = textOfValue(schema === undefined ? value : value.subarray(PREFIX_BYTES), message.notices);
    return this.#options.unwrap === undefined ? this.#ofText(text, message) : this.#ofValue(wholeJson(text), message);
  }

  /** The fast way of JSON objects. */
  #ofText(text: string, { key, schemas }: Message): Document {
    const values = this.#readObject(text);
    values[this.#idAt] =
      this.#options.idFrom === 'key'
        ? this.#prefixed(idOfKey(this.#keyValue(key, schemas)))
        : this.#idOf(values[this.#keyAt]);
    return new Document(this.#shape, values);
  }

  #ofValue(value: Value, message: Message): Document | undefined {
    if (this.#options.unwrap === undefined) return this.#ofObject(objectOf(value), message);
    const change = rowChange(value);
    if (change.kind === 'nothing') return undefined;
    if (change.kind === 'delete') return this.#delete(message, change.row);
    const document = this.#ofObject(change.row, message);
    for (const field of removeUnavailable(change.row)) {
      document.delete(field);
      message.notices('kafka.valueUnavailable', { document: document.id, field });
    }
    return document;
  }

  #ofObject(object: JsonObject, message: Message): Document {
    const { idFrom, idField } = this.#options;
    const id =
      idFrom === 'key'
        ? this.#prefixed(idOfKey(this.#keyValue(message.key, message.schemas)))
        : this.#idOf(object.get(idField));
    object.set('id', id);
    return new Document(Shape.common([...object.keys()]), [...object.values()]);
  }

  #tombstone(message: Message): Document | undefined {
    switch (this.#options.tombstones) {
      case 'ignore':
        return undefined;
      case 'fail':
        throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'it has no value (set tombstones to delete or ignore)');
      case 'delete':
        return this.#delete(message, undefined);
    }
  }

  /** Returns the request to delete the document of a row, or of the key. */
  #delete({ key, schemas }: Message, row: JsonObject | undefined): Document {
    const { idFrom, idField } = this.#options;
    let id: string;
    const ofRow = row?.get(idField);
    if (idFrom === 'field' && ofRow !== undefined && ofRow !== null) id = this.#idOf(ofRow);
    else {
      const value = this.#keyValue(key, schemas);
      const ofKey = idFrom === 'field' && value instanceof Map ? value.get(idField) : undefined;
      id = ofKey === undefined ? this.#prefixed(idOfKey(value)) : this.#idOf(ofKey);
    }
    const document = Document.create(id);
    document.set(DELETED_FIELD, true);
    document.requestDelete();
    return document;
  }

  #keyValue(key: Buffer | undefined, schemas: Message['schemas']): Value {
    if (key === undefined) throw new HeadraceError('HR_DOCUMENT_NO_ID', 'it has no key for the id');
    const schemaId = key[0] === MAGIC_BYTE ? this.#schemaIdOf(key, schemas) : undefined;
    const schema = schemaId === undefined ? undefined : schemas?.get(schemaId);
    if (schemaId !== undefined && schema !== undefined && schema.kind !== 'json') {
      return this.#schemas.read(key, schemaId, schema, keyText);
    }
    const bytes = schema === undefined ? key : key.subarray(PREFIX_BYTES);
    const text = keyText(bytes);
    const isJson = schema !== undefined || (this.#options.unwrap !== undefined && /^\s*["{]/.test(text));
    return isJson ? connectKey(wholeJson(text)) : text;
  }

  /** Returns the id of the schema of a message that begins with the magic byte. */
  #schemaIdOf(bytes: Buffer, schemas: Message['schemas']): number | undefined {
    const id = schemaIdOf(bytes);
    if (schemas?.has(id ?? -1) === true) return id;
    throw new HeadraceError(
      'HR_DOCUMENT_SYNTAX',
      id === undefined
        ? 'it begins with the byte 0, so it is neither JSON nor text'
        : `it begins with the byte 0 and the number ${id}: it is Avro, Protobuf or JSON Schema with a schema registry (set schemaRegistry)`,
    );
  }

  #idOf(value: Value | undefined): string {
    const id = value === undefined || value === null || Array.isArray(value) ? '' : (textOf(value) ?? '');
    if (id !== '') return this.#prefixed(id);
    throw new HeadraceError('HR_DOCUMENT_NO_ID', `it has no value in the field ${this.#options.idField} for the id`);
  }

  #prefixed(id: string): string {
    return this.#options.docIdPrefix + id;
  }

  #addHeaders(
    document: Document,
    headers: readonly (readonly [at: number, value: string])[],
    notices: MessageNotices,
  ): void {
    for (const [at, value] of headers) {
      const bytes = Buffer.from(value, 'latin1');
      document.setOrAdd(this.#options.headerFields[at] as string, textOfBytes(bytes, notices));
    }
  }

  /** Returns the values of the object in the order of `shape`. The last value may be missing: it is the id. */
  #readObject(text: string): Value[] {
    this.#reader.load(text);
    if (this.#reader.read(0, text.length)) {
      requireEnd(text, this.#reader.end);
      if (this.#names !== this.#reader.shape) this.#learn(this.#reader.shape);
      return this.#reader.values;
    }
    const value = objectOf(wholeJson(text));
    this.#learn(Shape.common([...value.keys()]));
    return [...value.values()];
  }

  #learn(shape: Shape): void {
    this.#names = shape;
    this.#keyAt = shape.position(this.#options.idField);
    this.#shape = shape.position('id') >= 0 ? shape : shape.share().with('id');
    this.#idAt = this.#shape.position('id');
  }
}

/** Returns the text of a value that should be JSON. */
function textOfValue(bytes: Buffer, notices: MessageNotices): string {
  const isObject = bytes[0] === OPEN_OBJECT;
  const format = isObject ? undefined : CONTAINERS.find(([start]) => bytes.subarray(0, start.length).equals(start));
  if (format !== undefined) throw new HeadraceError('HR_DOCUMENT_SYNTAX', `it is ${format[1]}, not JSON`);
  const text = textOfBytes(bytes, notices);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Files that producers send by mistake. */
const CONTAINERS: readonly (readonly [Buffer, string])[] = [
  [Buffer.from('Obj\x01', 'latin1'), 'an Avro file'],
  [Buffer.from('PAR1', 'latin1'), 'a Parquet file'],
  [Buffer.from('\x1f\x8b', 'latin1'), 'compressed with gzip'],
];

function textOfBytes(bytes: Buffer, notices: MessageNotices): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes)) {
    notices('bytes.invalid', { value: text, count: invalidUtf8Bytes(bytes) });
  }
  return text;
}

/** A replaced byte could make two keys equal. */
function keyText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new HeadraceError('HR_DOCUMENT_NO_ID', 'its key is not text in UTF-8');
}

/** Returns the JSON value of a text. Text after it fails the message. */
function wholeJson(text: string): Value {
  // `readJson` reports an empty text.
  const { value, end } = readJsonSequence(text).next().value ?? { value: readJson(text), end: text.length };
  if (value instanceof Map) requireEnd(text, end);
  return value;
}

function objectOf(value: Value): JsonObject {
  if (value instanceof Map) return value;
  throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'its value is not a JSON object');
}

/**
 * Throws `HR_DOCUMENT_SYNTAX` if text follows the object of a message: another object there must not be lost. A message
 * is one document, because its offset identifies the document.
 */
function requireEnd(text: string, end: number): void {
  if (end === text.length || text.slice(end).trim() === '') return;
  throw new JsonSyntaxError(`text follows the object, at character ${end + 1}: a message must be one JSON object`, end);
}
