import type { ModuleReference, RecordChunk } from '@headrace/engine';
import type { MessagePositions } from './message-decoder.ts';
import { type RegisteredSchema, schemaIdOf } from './schemas/registered-schema.ts';
import type { TopicMessage } from './topic-reader.ts';

/** The parts of messages that a decoder needs in addition to their values. */
export interface MessageParts {
  readonly keys: boolean;
  /** The names of the headers. */
  readonly headers: readonly string[];
  /** Whether messages have ids of schemas. */
  readonly schemas: boolean;
}

/** Collects messages, and transfers them to a pipeline thread as one chunk. */
export class MessageBatch {
  bytes = 0;
  /** The ids of the schemas of the messages. */
  readonly schemaIds = new Set<number>();
  readonly #parts: MessageParts;
  readonly #pieces: Buffer[] = [];
  readonly #partitions: number[] = [];
  readonly #offsets: bigint[] = [];
  readonly #lengths: number[] = [];
  readonly #keyLengths: number[] = [];
  readonly #headers: (readonly (readonly [at: number, value: string])[])[] = [];

  constructor(parts: MessageParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#lengths.length;
  }

  add({ partition, offset, key, value, headers }: TopicMessage): void {
    this.#partitions.push(partition);
    this.#offsets.push(offset);
    this.#lengths.push(this.#add(value));
    if (this.#parts.keys) this.#keyLengths.push(this.#add(key));
    if (this.#parts.headers.length > 0) this.#headers.push([...this.#selected(headers)]);
  }

  chunk(decoder: ModuleReference, schemas: ReadonlyMap<number, RegisteredSchema> | undefined): RecordChunk {
    // Copies to a separate buffer, because the buffer is transferred to another thread.
    const bytes = new Uint8Array(this.bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const position: MessagePositions = {
      partitions: Int32Array.from(this.#partitions),
      offsets: BigInt64Array.from(this.#offsets),
      lengths: Int32Array.from(this.#lengths),
      ...(this.#parts.keys ? { keyLengths: Int32Array.from(this.#keyLengths) } : {}),
      ...(this.#parts.headers.length > 0 ? { headers: this.#headers } : {}),
      ...(schemas === undefined ? {} : { schemas }),
    };
    return { bytes, decoder, position };
  }

  /** Returns the length of the piece; -1 if there is none. */
  #add(piece: Buffer | undefined): number {
    if (piece === undefined) return -1;
    const id = this.#parts.schemas ? schemaIdOf(piece) : undefined;
    if (id !== undefined) this.schemaIds.add(id);
    this.#pieces.push(piece);
    this.bytes += piece.length;
    return piece.length;
  }

  /** Yields the headers that become fields, each byte of their values as a character. */
  *#selected(headers: TopicMessage['headers']): Generator<readonly [at: number, value: string]> {
    for (const [name, value] of headers) {
      const at = name === null || value === null ? -1 : this.#parts.headers.indexOf(name.toString('utf8'));
      if (at >= 0) yield [at, (value as Buffer).toString('latin1')];
    }
  }
}
