import {
  type Document,
  HeadraceError,
  type ModuleReference,
  type Publisher,
  type RecordChunk,
  type RecordDecoder,
  type RejectedRecord,
} from '@headrace/engine';

/** Receives the problems of records while they are decoded. */
export interface HeldRecordsListener {
  /** Called for a record that cannot be read. The record is skipped unless this throws. */
  reject(record: RejectedRecord): void;
  warn(message: string): void;
}

/** The frames of a video can need much more memory than the video. */
const MAX_BYTES = 512 * 1024 ** 2;

type Held = { readonly chunk: RecordChunk; readonly decoder: RecordDecoder } | { readonly rejected: RejectedRecord };

/** Stores the published records of one file as bytes, and decodes them into documents only on demand. */
export class HeldRecords implements Publisher {
  readonly signal: AbortSignal = new AbortController().signal;
  readonly #held: Held[] = [];
  #bytes = 0;
  readonly #decoders = new Map<ModuleReference, RecordDecoder>();

  publish(): never {
    throw new TypeError('A format must publish bytes, not documents');
  }

  /** Throws `HR_STAGE_FAILED` if the records need too much memory together. */
  async publishChunk(chunk: RecordChunk): Promise<void> {
    this.#bytes += chunk.bytes.length;
    if (this.#bytes > MAX_BYTES) {
      throw new HeadraceError('HR_STAGE_FAILED', 'The records of the file need more than 512 MiB of memory', {
        hint: 'Read the file with FileConnector, which does not hold all records at a time.',
      });
    }
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

  /** Yields the documents of the records in order. Decodes one chunk at a time. */
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
