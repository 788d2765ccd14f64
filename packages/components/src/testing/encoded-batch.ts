import { type DocumentEncoder, type EncodedBatch, readDocument } from '@headrace/engine';

/** Encodes documents as a batch for an indexer. */
export function encodedBatch(encoder: DocumentEncoder, documents: readonly { readonly id: string }[]): EncodedBatch {
  const pieces = documents.map((document) => Buffer.from(encoder.encode(readDocument(JSON.stringify(document)))));
  const lengths = Uint32Array.from(pieces, ({ length }) => length);
  const hashes = encoder.hash?.(Buffer.concat(pieces), lengths) ?? new Uint8Array();
  return {
    count: pieces.length,
    pieces,
    lengths: () => lengths,
    hashes: () => hashes,
    ids: () => documents.map(({ id }) => id),
    pipeline: 'p',
    origins: () => documents.map(() => undefined),
  };
}
