import type { ModuleReference, RecordChunk, RecordDecoder, RecordNotice, RecordSink } from '../component/connector.ts';
import { checkDecoded, checkNumber, checkRejected, lateSink } from '../component/published.ts';
import type { Document } from '../document/document.ts';
import { classOf, contractError } from '../errors/contract-error.ts';
import type { NoticeCode } from '../notices/notice-table.ts';
import { decodeDocuments } from '../transport/document-wire.ts';
import type { InputBatch } from './pipeline-messages.ts';

/**
 * The decoders that a thread has created, one for each reference. Their state is kept across chunks, for example the
 * warnings that were already logged.
 */
export class Decoders {
  readonly #made = new Map<string, RecordDecoder>();

  async get(reference: ModuleReference): Promise<RecordDecoder> {
    const key = `${reference.url}#${reference.name} ${JSON.stringify(reference.options)}`;
    let decoder = this.#made.get(key);
    if (decoder === undefined) {
      decoder = await instantiate<RecordDecoder>(reference);
      this.#made.set(key, decoder);
    }
    return decoder;
  }
}

/**
 * Prepares the decoding of a batch. Returns a function that sends the documents of the batch to the sink.
 * @param decoderOf returns the decoder that a `ModuleReference` names
 */
export async function decoding(
  batch: InputBatch,
  sink: RecordSink,
  decoderOf: (reference: ModuleReference) => Promise<RecordDecoder>,
): Promise<() => void> {
  if (batch.kind === 'documents') {
    return () => {
      for (const document of decodeDocuments(batch.bytes)) sink.document(document);
    };
  }
  const decoders: RecordDecoder[] = [];
  for (const [i, { decoder: reference }] of batch.chunks.entries()) {
    // Most chunks of a batch are from files of one kind.
    const isSame = reference === batch.chunks[i - 1]?.decoder;
    decoders.push(isSame ? (decoders[i - 1] as RecordDecoder) : await decoderOf(reference));
  }
  return () => {
    for (const [i, { bytes, position }] of batch.chunks.entries()) {
      decodeChunk(decoders[i] as RecordDecoder, bytes, position, sink);
    }
  };
}

/** Decodes a chunk. Throws `HR_COMPONENT_CONTRACT` for an async decoder: its later documents would be lost. */
export function decodeChunk(decoder: RecordDecoder, bytes: Uint8Array, position: unknown, sink: RecordSink): void {
  const result: unknown = decoder.decode(bytes, position, sink);
  if (!(result instanceof Promise)) return;
  // Its documents are refused. The run has failed already.
  result.catch(() => undefined);
  throw contractError(
    `decode() of ${classOf(decoder)} returned a promise`,
    'It must pass all documents to the sink before it returns: it cannot be async.',
  );
}

/**
 * Decodes a chunk as a pipeline thread does, with the same checks, for a receiver of single documents.
 * @param receiver may keep the documents
 */
export function decodeChecked(
  decoder: RecordDecoder,
  { bytes, decoder: { name }, position, documents }: RecordChunk,
  receiver: Pick<RecordSink, 'document' | 'reject' | 'warn' | 'notice'>,
): void {
  let last: Document | undefined;
  let found = 0;
  let isDecoding = true;
  const check = () => {
    if (!isDecoding) throw lateSink(name);
  };
  const sink: RecordSink = {
    document: (document, source) => {
      check();
      checkDecoded(name, document, last);
      last = document;
      found++;
      receiver.document(document, source);
    },
    reject: (record) => {
      check();
      checkRejected(record);
      found += record.count ?? 1;
      receiver.reject(record);
    },
    warn: (message) => receiver.warn(message),
    notice: (code: string, details?: RecordNotice) => {
      check();
      receiver.notice(code as NoticeCode, details);
    },
  };
  try {
    decodeChunk(decoder, bytes, position, sink);
  } finally {
    isDecoding = false;
  }
  checkNumber(name, found, documents);
}

/**
 * Returns an instance of the class that a reference names.
 * @param more further arguments of its constructor
 */
export async function instantiate<T>({ url, name, options }: ModuleReference, ...more: unknown[]): Promise<T> {
  const exports = (await import(url)) as Record<string, new (options: unknown, ...more: unknown[]) => T>;
  const Class = exports[name];
  if (Class === undefined) throw new Error(`${url} has no export ${name}`);
  return new Class(options, ...more);
}
