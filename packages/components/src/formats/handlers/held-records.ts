import {
  contractError,
  Decoders,
  type Document,
  decodeChecked,
  HeadraceError,
  type NoticeCode,
  type Notices,
  type Publisher,
  PublisherCalls,
  type RecordChunk,
  type RecordDecoder,
  type RecordNotice,
  type RejectedRecord,
} from '@headrace/engine';

/** Receives the problems of records while they are decoded. */
export interface HeldRecordsListener {
  /** Called for a record that cannot be read. The record is skipped unless this throws. */
  reject(record: RejectedRecord): void;
  warn(message: string): void;
  readonly notices: Notices;
}

/** The frames of a video can need much more memory than the video. */
const MAX_BYTES = 512 * 1024 ** 2;

type Held = { readonly chunk: RecordChunk; decoder?: RecordDecoder } | { readonly rejected: RejectedRecord };

/** Stores the published records of one file as bytes, and decodes them into documents only on demand. */
export class HeldRecords implements Publisher {
  readonly signal: AbortSignal = new AbortController().signal;
  readonly #held: Held[] = [];
  #bytes = 0;
  readonly #decoders = new Decoders();
  readonly #calls = new PublisherCalls();

  publish(): never {
    throw contractError('A format must publish bytes, not documents', 'Call publishChunk() with a decoder.');
  }

  /** Loads the decoders. Accepts no more calls of the format, which has ended: their records would be lost. */
  async close(): Promise<void> {
    this.#calls.close();
    for (const held of this.#held) if ('chunk' in held) held.decoder = await this.#decoders.get(held.chunk.decoder);
  }

  /** Throws `HR_STAGE_FAILED` if the records need too much memory together. */
  async publishChunk(chunk: RecordChunk): Promise<void> {
    this.#calls.publishChunk(chunk);
    this.#bytes += chunk.bytes.length;
    if (this.#bytes > MAX_BYTES) {
      throw new HeadraceError('HR_STAGE_FAILED', 'The records of the file need more than 512 MiB of memory', {
        hint: 'Read the file with FileConnector, which does not hold all records at a time.',
      });
    }
    this.#held.push({ chunk });
  }

  reject(rejected: RejectedRecord): undefined {
    this.#calls.reject(rejected);
    this.#held.push({ rejected });
  }

  async settled(): Promise<void> {}

  /** Yields the documents of the records in order, after `close`. Decodes one chunk at a time. */
  *documents(listener: HeldRecordsListener): Generator<Document> {
    for (const part of this.#held) {
      if ('rejected' in part) {
        listener.reject(part.rejected);
        continue;
      }
      const decoded: (Document | RejectedRecord)[] = [];
      // `close` has loaded it.
      decodeChecked(part.decoder as RecordDecoder, part.chunk, {
        document: (document) => void decoded.push(document),
        reject: (record) => void decoded.push(record),
        warn: (message) => listener.warn(message),
        notice: (code: string, details?: RecordNotice) => listener.notices.report(code as NoticeCode, details),
      });
      for (const found of decoded) {
        if ('place' in found) listener.reject(found);
        else yield found;
      }
    }
  }
}
