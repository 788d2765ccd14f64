import type { ModuleReference, RecordChunk } from '@headrace/engine';
import type { MessagePositions } from './message-decoder.ts';
import type { TopicMessage } from './topic-reader.ts';

/** Collects messages, and transfers them to a pipeline thread as one chunk. */
export class MessageBatch {
  bytes = 0;
  readonly #values: Buffer[] = [];
  readonly #partitions: number[] = [];
  readonly #offsets: bigint[] = [];
  readonly #lengths: number[] = [];

  get count(): number {
    return this.#lengths.length;
  }

  add({ partition, offset, value }: TopicMessage): void {
    this.#partitions.push(partition);
    this.#offsets.push(offset);
    this.#lengths.push(value?.length ?? -1);
    if (value === undefined) return;
    this.#values.push(value);
    this.bytes += value.length;
  }

  chunk(decoder: ModuleReference): RecordChunk {
    // Copies to a separate buffer, because the buffer is transferred to another thread.
    const bytes = new Uint8Array(this.bytes);
    let at = 0;
    for (const value of this.#values) {
      bytes.set(value, at);
      at += value.length;
    }
    const position: MessagePositions = {
      partitions: Int32Array.from(this.#partitions),
      offsets: BigInt64Array.from(this.#offsets),
      lengths: Int32Array.from(this.#lengths),
    };
    return { bytes, decoder, position };
  }
}
