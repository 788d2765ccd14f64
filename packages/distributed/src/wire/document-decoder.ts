import {
  type Document,
  HeadraceError,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  readDocument,
} from '@headrace/engine';

/** The messages of a chunk, in order. */
export interface DocumentPositions {
  readonly topic: string;
  readonly partitions: Int32Array;
  readonly offsets: BigInt64Array;
  /** The length of each message in bytes; -1 for a message without a value. */
  readonly lengths: Int32Array;
}

/** The place of a message, for error messages. */
export function placeOf(topic: string, partition: number, offset: bigint): string {
  return `topic ${topic}, partition ${partition}, offset ${offset}`;
}

/** Decodes messages in Lucille's format: one document each, as JSON. */
export class QueuedDocumentDecoder implements RecordDecoder {
  static readonly reference: ModuleReference = { url: import.meta.url, name: 'QueuedDocumentDecoder', options: {} };

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { topic, partitions, offsets, lengths } = position as DocumentPositions;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (let i = 0; i < lengths.length; i++) {
      const length = lengths[i] as number;
      const start = at;
      at += Math.max(0, length);
      let document: Document;
      try {
        if (length < 0) throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'the message has no value');
        document = readDocument(buffer.toString('utf8', start, at));
      } catch (error) {
        if (!(error instanceof HeadraceError)) throw error;
        const place = placeOf(topic, partitions[i] as number, offsets[i] as bigint);
        sink.reject({ place, message: messageOf(error) });
        continue;
      }
      sink.document(document);
    }
  }
}
