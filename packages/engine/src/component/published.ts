import type { Document } from '../document/document.ts';
import { contractError, kindOf } from '../errors/contract-error.ts';
import { counted } from '../errors/counted.ts';
import type { HeadraceError } from '../errors/headrace-error.ts';
import type { RecordChunk, RejectedRecord } from './connector.ts';

const RECORDS =
  'Call reject({ place, message }): where the record is, such as "data.csv:17", and why it cannot be read.';
const CHUNKS = 'Call publishChunk({ bytes, decoder, position }).';
const IDS = 'An id is a text of at least one character.';

/**
 * Throws `HR_COMPONENT_CONTRACT` if a custom connector or decoder returned something that is not a document with an id
 * and one value for each field.
 */
function checkDocument(document: Document): void {
  const values: unknown = (document as Partial<Document> | null | undefined)?.fieldValues;
  // A module may contain another copy of the class.
  if (!Array.isArray(values) || !Array.isArray(document.fieldNames)) {
    throw contractError(
      `A Document is expected, not ${kindOf(document)}`,
      'Create it with Document.create(id), or Document.fromObject(toValue(object)).',
    );
  }
  const { id } = document;
  if (typeof id !== 'string' || id === '') throw contractError(`A document has no id: its id is ${idOf(id)}`, IDS);
  if (values.length === document.fieldNames.length) return;
  throw contractError(
    `The document "${id}" has ${document.fieldNames.length} field names and ${values.length} values`,
    'Set its fields with set(), or give the constructor one value for each name of the shape.',
  );
}

/**
 * Throws `HR_COMPONENT_CONTRACT` if a decoder passed something that is not a new document with an id.
 * @param last the document that it passed before
 */
export function checkDecoded(decoder: string, document: Document, last: Document | undefined): void {
  const { id, setRunId } = (document ?? {}) as Partial<Document>;
  if (typeof id !== 'string' || id === '') {
    throw contractError(`${decoder} passed a document without an id: its id is ${idOf(id)}`, IDS);
  }
  // A module may contain another copy of the class.
  if (typeof setRunId !== 'function') throw contractError(`${decoder} passed ${kindOf(document)}, not a Document`);
  if (document !== last) return;
  throw contractError(
    `${decoder} passed the document "${id}" twice`,
    'A document that was passed on belongs to the engine. Create a new one for each record.',
  );
}

/** Returns the error for a decoder that uses its sink after it has returned: the document would belong to another chunk. */
export function lateSink(decoder: string): HeadraceError {
  return contractError(
    `${decoder} used its sink after decode() had returned`,
    'It must pass all documents to the sink before it returns: it cannot be async.',
  );
}

/** Throws `HR_COMPONENT_CONTRACT` if a decoder returned another number of records than its connector has published. */
export function checkNumber(decoder: string, found: number, expected: number | undefined): void {
  if (expected === undefined || found === expected) return;
  throw contractError(
    `${decoder} returned ${counted(found, 'record')} of a chunk that was published with documents: ${expected}`,
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Names an id that is not one, for messages. */
function idOf(id: unknown): string {
  return id === '' ? 'empty' : kindOf(id);
}

function checkChunk(chunk: RecordChunk): void {
  if (!isObject(chunk)) throw contractError(`publishChunk() received ${kindOf(chunk)}, not a chunk`, CHUNKS);
  const { bytes, decoder, documents } = chunk;
  if (!(bytes instanceof Uint8Array))
    throw contractError(`The bytes of a chunk are ${kindOf(bytes)}, not a Uint8Array`);
  if (bytes.buffer instanceof SharedArrayBuffer) throw contractError('The bytes of a chunk are in shared memory');
  if (typeof decoder?.url !== 'string' || typeof decoder.name !== 'string') {
    throw contractError('The decoder of a chunk is not { url, name, options }', 'Set url to import.meta.url.');
  }
  if (documents === undefined || (Number.isSafeInteger(documents) && documents >= 0)) return;
  throw contractError(`The number of documents of a chunk is ${String(documents)}`);
}

/** Throws `HR_COMPONENT_CONTRACT` if a custom connector or decoder rejected something that is not a record. */
export function checkRejected(record: RejectedRecord): void {
  if (!isObject(record)) throw contractError(`reject() received ${kindOf(record)}, not a rejected record`, RECORDS);
  const { place, message, count = 1 } = record;
  if (typeof place !== 'string' || place === '' || typeof message !== 'string') {
    throw contractError(
      `A rejected record has ${kindOf(place)} as place and ${kindOf(message)} as message, not texts`,
      RECORDS,
    );
  }
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw contractError(`A rejected record contains ${String(count)} documents, not a whole number from 1`);
}

/** The calls of one connector to its publisher. It checks what no type can express. */
export class PublisherCalls {
  /** The document that was published last. */
  #last: Document | undefined;
  #isClosed = false;
  /** The first call after the end of the connector. */
  #late: HeadraceError | undefined;

  publish(document: Document): void {
    this.#accept('publish');
    checkDocument(document);
    if (document === this.#last) {
      throw contractError(
        `publish() received the document "${document.id}" again`,
        'A published document belongs to the engine. Create a new one for each record.',
      );
    }
    this.#last = document;
  }

  publishChunk(chunk: RecordChunk): void {
    this.#accept('publishChunk');
    checkChunk(chunk);
  }

  reject(record: RejectedRecord): void {
    this.#accept('reject');
    checkRejected(record);
  }

  /** Accepts no more calls of the connector, which has ended: their documents would be lost. */
  close(): void {
    this.#isClosed = true;
  }

  /** Throws if the connector called the publisher after its end. */
  checkLate(): void {
    if (this.#late !== undefined) throw this.#late;
  }

  #accept(method: string): void {
    if (!this.#isClosed) return;
    this.#late ??= contractError(
      `${method}() was called after execute() had ended`,
      'Await every call of the publisher in execute(), also those in callbacks.',
    );
    throw this.#late;
  }
}
