import { describe, expect, it } from 'vitest';
import type { RecordSink } from '../component/connector.ts';
import { Document } from '../document/document.ts';
import { encodeDocuments } from '../transport/document-wire.ts';
import { Decoders, decoding, instantiate } from './decoders.ts';
import type { InputBatch } from './pipeline-messages.ts';
import { WordDecoder, wordDecoder } from './word-decoder.test.lib.ts';

const words = (text: string, separator?: string): InputBatch => ({
  kind: 'records',
  chunks: [{ bytes: Buffer.from(text), decoder: wordDecoder(separator), position: 'words.txt' }],
});

/** Decodes a batch. Returns the ids of its documents, and the places of its unreadable records in brackets. */
async function decodeAll(batch: InputBatch, decoders = new Decoders()): Promise<string[]> {
  const found: string[] = [];
  const sink: RecordSink = {
    document: (document) =>
      found.push(document.has('chunk') ? `${document.id} ${document.text('chunk')}` : document.id),
    reject: ({ place }) => found.push(`[${place}]`),
    warn: () => undefined,
    notice: () => undefined,
  };
  (await decoding(batch, sink, (reference) => decoders.get(reference)))();
  return found;
}

describe('the decoders of a thread', () => {
  it('decode the records of a chunk, and report those that cannot be read', async () => {
    expect(await decodeAll(words('a bad b'))).toEqual(['a 1', '[words.txt]', 'b 1']);
  });

  it('keep their state across chunks, separately for other options', async () => {
    const decoders = new Decoders();
    expect(await decodeAll(words('a b'), decoders)).toEqual(['a 1', 'b 1']);
    expect(await decodeAll(words('c,d', ','), decoders)).toEqual(['c 1', 'd 1']);
    expect(await decodeAll(words('e'), decoders)).toEqual(['e 2']);
  });

  it('are not needed for documents that were encoded in the thread of the run', async () => {
    const documents = ['x', 'y'].map((id) => Document.create(id));
    expect(await decodeAll({ kind: 'documents', bytes: encodeDocuments(documents), count: 2 })).toEqual(['x', 'y']);
  });
});

describe('instantiate', () => {
  it('creates the class of a reference with its options', async () => {
    expect(await instantiate(wordDecoder())).toBeInstanceOf(WordDecoder);
  });

  it('names the module and the class if the module does not export it', async () => {
    await expect(instantiate({ ...wordDecoder(), name: 'Missing' })).rejects.toThrow(
      /word-decoder\.test\.lib\.ts has no export Missing$/,
    );
  });
});
