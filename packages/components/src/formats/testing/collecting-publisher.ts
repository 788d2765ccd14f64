import type {
  Document,
  Logger,
  Publisher,
  RecordChunk,
  RecordDecoder,
  RecordSink,
  RejectedRecord,
} from '@headrace/engine';

/** A publisher for tests: it decodes every chunk at once and keeps what comes. */
export class CollectingPublisher implements Publisher, RecordSink {
  readonly documents: Document[] = [];
  readonly rejected: RejectedRecord[] = [];
  readonly warnings: string[] = [];
  chunks = 0;
  readonly log: Logger;
  private readonly controller = new AbortController();
  private readonly decoders = new Map<object, RecordDecoder>();

  constructor() {
    const keep = (message: string) => void this.warnings.push(message);
    this.log = { debug() {}, info() {}, warn: keep, error: keep };
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The documents as JSON texts, fields in order. */
  get json(): string[] {
    return this.documents.map((document) => document.toJson());
  }

  abort(): void {
    this.controller.abort();
  }

  async publishChunk({ bytes, decoder: reference, position }: RecordChunk): Promise<void> {
    this.chunks++;
    let decoder = this.decoders.get(reference);
    if (decoder === undefined) {
      const module = (await import(reference.url)) as Record<string, new (options: unknown) => RecordDecoder>;
      decoder = new (module[reference.name] as new (options: unknown) => RecordDecoder)(
        structuredClone(reference.options),
      );
      this.decoders.set(reference, decoder);
    }
    // As the engine does: the memory is gone for the sender.
    const [crossed, place] = structuredClone([bytes, position], { transfer: [bytes.buffer as ArrayBuffer] });
    decoder.decode(crossed as Uint8Array, place, this);
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
