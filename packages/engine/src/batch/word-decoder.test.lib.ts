import type { ModuleReference, RecordDecoder, RecordSink } from '../component/connector.ts';
import { Document } from '../document/document.ts';

/**
 * Decodes words: each is the id of a document. The word `bad` is a record that cannot be read, and `broken` ends the
 * decoding. A decoder counts its chunks in the field `chunk`.
 */
export class WordDecoder implements RecordDecoder {
  readonly #separator: string;
  #chunks = 0;

  constructor(options: { readonly separator: string }) {
    this.#separator = options.separator;
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    this.#chunks++;
    for (const word of Buffer.from(bytes).toString().split(this.#separator)) {
      if (word === 'broken') throw new Error('the chunk is broken');
      if (word === 'bad') sink.reject({ place: `${position}`, message: 'the record is bad' });
      else {
        const document = Document.create(word);
        document.set('chunk', this.#chunks);
        sink.document(document);
      }
    }
  }
}

/** Returns a reference to `WordDecoder`. */
export function wordDecoder(separator = ' '): ModuleReference {
  return { url: import.meta.url, name: 'WordDecoder', options: { separator } };
}
