import assert from 'node:assert/strict';
import type {
  Document,
  DocumentTable,
  Logger,
  Publisher,
  RecordChunk,
  RecordDecoder,
  RecordSink,
  RejectedRecord,
} from '@headrace/engine';

/**
 * A publisher for tests: it decodes every chunk at once and keeps what comes. Where a decoder makes tables, too, they
 * have to hold the same documents.
 */
export class CollectingPublisher implements Publisher, RecordSink {
  readonly documents: Document[] = [];
  readonly rejected: RejectedRecord[] = [];
  readonly warnings: string[] = [];
  chunks = 0;
  readonly log: Logger;
  readonly #controller = new AbortController();
  readonly #decoders = new Map<object, RecordDecoder>();

  constructor() {
    const keep = (message: string) => void this.warnings.push(message);
    this.log = { debug() {}, info() {}, warn: keep, error: keep };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The documents as JSON texts, fields in order. */
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
    // As the engine does: the memory is gone for the sender.
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
}
