import type { TopicMessage } from '@headrace/components/kafka';
import type { RecordChunk } from '@headrace/engine';
import { type DocumentPositions, QueuedDocumentDecoder } from '../wire/document-decoder.ts';

const MAX_DOCUMENTS = 128;
const MAX_BYTES = 512 * 1024;

/** Collects messages in Lucille's format, and transfers them to a pipeline thread as one chunk. */
export class DocumentChunk {
  readonly messages: TopicMessage[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.messages.length >= MAX_DOCUMENTS || this.#bytes >= MAX_BYTES;
  }

  add(message: TopicMessage): void {
    this.messages.push(message);
    this.#bytes += message.value?.length ?? 0;
  }

  /** The messages as one chunk. */
  take(topic: string): RecordChunk {
    const { messages } = this;
    // Copies to a separate buffer, because the buffer is transferred to another thread.
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const { value } of messages) {
      if (value === undefined) continue;
      bytes.set(value, at);
      at += value.length;
    }
    const position: DocumentPositions = {
      topic,
      partitions: Int32Array.from(messages, ({ partition }) => partition),
      offsets: BigInt64Array.from(messages, ({ offset }) => offset),
      lengths: Int32Array.from(messages, ({ value }) => value?.length ?? -1),
    };
    return { bytes, decoder: QueuedDocumentDecoder.reference, position, keepsRunIds: true, listsIds: true };
  }
}
