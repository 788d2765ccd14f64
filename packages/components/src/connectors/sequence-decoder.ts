import { Document, type ModuleReference, type RecordDecoder, type RecordSink, Shape } from '@headrace/engine';

export interface SequenceDecoderOptions {
  readonly docIdPrefix: string;
}

/** The range of numbers of a chunk. Plain data. */
export interface SequencePosition {
  readonly first: number;
  readonly count: number;
}

/** Creates documents that have only a number as id. */
export class SequenceDecoder implements RecordDecoder {
  readonly #prefix: string;
  readonly #shape = Shape.of(['id']);

  constructor({ docIdPrefix }: SequenceDecoderOptions) {
    this.#prefix = docIdPrefix;
  }

  static reference(options: SequenceDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'SequenceDecoder', options };
  }

  decode(_bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { first, count } = position as SequencePosition;
    for (let i = 0; i < count; i++) sink.document(new Document(this.#shape, [`${this.#prefix}${first + i}`]));
  }
}
