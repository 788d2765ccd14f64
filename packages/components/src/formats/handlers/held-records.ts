import type {
  Document,
  ModuleReference,
  Publisher,
  RecordChunk,
  RecordDecoder,
  RejectedRecord,
} from '@headrace/engine';

/** The notes about records while they become documents. */
export interface HeldRecordsListener {
  /** A record cannot be read. It is left out, unless this throws. */
  reject(record: RejectedRecord): void;
  warn(message: string): void;
}

type Held = { readonly chunk: RecordChunk; readonly decoder: RecordDecoder } | { readonly rejected: RejectedRecord };

/**
 * Takes the records of one file as a format publishes them, as bytes, and makes documents of them only when they are
 * asked for.
 */
export class HeldRecords implements Publisher {
  readonly signal: AbortSignal = new AbortController().signal;
  readonly #held: Held[] = [];
  readonly #decoders = new Map<ModuleReference, RecordDecoder>();

  publish(): never {
    throw new TypeError('Formats publish bytes');
  }

  async publishChunk(chunk: RecordChunk): Promise<void> {
    let decoder = this.#decoders.get(chunk.decoder);
    if (decoder === undefined) {
      const { url, name, options } = chunk.decoder;
      const module = (await import(url)) as Record<string, new (options: unknown) => RecordDecoder>;
      decoder = new (module[name] as new (options: unknown) => RecordDecoder)(options);
      this.#decoders.set(chunk.decoder, decoder);
    }
    this.#held.push({ chunk, decoder });
  }

  reject(rejected: RejectedRecord): undefined {
    this.#held.push({ rejected });
  }

  async settled(): Promise<void> {}

  /** The documents of the records, in order, decoded a piece at a time. */
  *documents(listener: HeldRecordsListener): Generator<Document> {
    for (const part of this.#held) {
      if ('rejected' in part) {
        listener.reject(part.rejected);
        continue;
      }
      const decoded: (Document | RejectedRecord)[] = [];
      part.decoder.decode(part.chunk.bytes, part.chunk.position, {
        document: (document) => void decoded.push(document),
        reject: (record) => void decoded.push(record),
        warn: (message) => listener.warn(message),
      });
      for (const found of decoded) {
        if ('place' in found) listener.reject(found);
        else yield found;
      }
    }
  }
}
