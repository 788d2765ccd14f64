import assert from 'node:assert/strict';
import {
  type Document,
  type DocumentTable,
  type Logger,
  type NoticeCode,
  NoticeCollector,
  type Publisher,
  type RecordChunk,
  type RecordDecoder,
  type RecordNotice,
  type RecordSink,
  type RejectedRecord,
} from '@headrace/engine';

/**
 * A publisher for tests. It decodes every chunk immediately and stores the documents. If the decoder can create tables,
 * it checks that they contain the same documents.
 */
export class CollectingPublisher implements Publisher, RecordSink {
  readonly documents: Document[] = [];
  readonly rejected: RejectedRecord[] = [];
  readonly warnings: string[] = [];
  chunks = 0;
  readonly log: Logger;
  /** Counts what formats and decoders report. */
  readonly collector = new NoticeCollector();
  readonly notices = this.collector.of({ component: 'c' });
  readonly #controller = new AbortController();
  readonly #decoders = new Map<object, RecordDecoder>();

  constructor() {
    const keep = (message: string) => void this.warnings.push(message);
    this.log = { debug() {}, info() {}, warn: keep, error: keep };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The documents as JSON texts with their fields in order. */
  get json(): string[] {
    return this.documents.map((document) => document.toJson());
  }

  abort(): void {
    this.#controller.abort();
  }

  async publishChunk({ bytes, decoder: reference, position }: RecordChunk): Promise<void> {
    this.chunks++;
    let decoder = this.#decoders.get(reference);
    if (decoder === undefined) {
      const module = (await import(reference.url)) as Record<string, new (options: unknown) => RecordDecoder>;
      decoder = new (module[reference.name] as new (options: unknown) => RecordDecoder)(
        structuredClone(reference.options),
      );
      this.#decoders.set(reference, decoder);
    }
    // The bytes are transferred, as in the engine: the sender loses their memory.
    const [crossed, place] = structuredClone([bytes, position], { transfer: [bytes.buffer as ArrayBuffer] });
    const before = this.documents.length;
    decoder.decode(crossed as Uint8Array, place, this);
    const inTables: Document[] = [];
    let tables = 0;
    decoder.decode(crossed as Uint8Array, place, {
      document: (document) => void inTables.push(document),
      table: (table: DocumentTable) => {
        tables++;
        for (let row = 0; row < table.count; row++) inTables.push(table.document(row));
      },
      reject() {},
      warn() {},
      notice() {},
    });
    if (tables === 0) return;
    const alone = this.documents.slice(before);
    assert.deepEqual(
      inTables.map((document) => document.toJson()),
      alone.map((document) => document.toJson()),
    );
  }

  publish(document: Document): undefined {
    this.documents.push(document);
  }

  async settled(): Promise<void> {}

  document(document: Document): void {
    this.documents.push(document);
  }

  reject(record: RejectedRecord): undefined {
    this.rejected.push(record);
  }

  warn(message: string): void {
    this.warnings.push(message);
  }

  notice(code: string, { ahead: _, ...details }: RecordNotice = {}): void {
    this.notices.report(code as NoticeCode, details);
  }
}
