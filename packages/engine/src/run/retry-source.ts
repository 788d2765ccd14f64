import type { Document } from '../document/document.ts';
import { readDocument } from '../document/read-document.ts';
import type { Value } from '../document/value.ts';
import type { RetryDocument } from '../failures/retry-plan.ts';
import type { BatchingPublisher } from './batching-publisher.ts';

const BATCH_BYTES = 256 * 1024;

/** Replaces a connector in a retry. Publishes the documents that failed in another run, in their order. */
export class RetrySource {
  message: string | undefined;
  readonly #documents: readonly RetryDocument[];
  #texts: string[] = [];
  #ids: string[] = [];
  #bytes = 0;

  constructor(documents: readonly RetryDocument[]) {
    this.#documents = documents;
  }

  async execute(publisher: BatchingPublisher): Promise<void> {
    for (const { id, document } of this.#documents) {
      if (publisher.signal.aborted) break;
      if (document.kind === 'input') {
        await this.#publishEncoded(publisher);
        await publisher.publish(restore(document.json, document.binaryFields));
        continue;
      }
      this.#texts.push(document.text);
      this.#ids.push(id);
      this.#bytes += Buffer.byteLength(document.text);
      if (this.#ids.length >= publisher.batchDocuments || this.#bytes >= BATCH_BYTES)
        await this.#publishEncoded(publisher);
    }
    await this.#publishEncoded(publisher);
  }

  async #publishEncoded(publisher: BatchingPublisher): Promise<void> {
    if (this.#ids.length === 0) return;
    const pieces = this.#texts.map((text) => Buffer.from(text));
    // The bytes need separate memory, so that it can be transferred.
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.byteLength;
    }
    const lengths = Uint32Array.from(pieces, (piece) => piece.byteLength);
    const batch = { kind: 'encoded', bytes, lengths, ids: JSON.stringify(this.#ids), count: this.#ids.length } as const;
    this.#texts = [];
    this.#ids = [];
    this.#bytes = 0;
    await publisher.publishEncoded(batch);
  }
}

function restore(json: string, binaryFields: readonly string[]): Document {
  const document = readDocument(json);
  for (const field of binaryFields) {
    const value = document.get(field);
    if (value !== undefined) document.set(field, toBytes(value));
  }
  return document;
}

function toBytes(value: Value): Value {
  if (typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  if (Array.isArray(value)) return value.map(toBytes);
  return value instanceof Map ? new Map([...value].map(([key, member]) => [key, toBytes(member)])) : value;
}
