import type { ModuleReference, RecordDecoder, RecordSink } from '../component/connector.ts';
import { Document } from '../document/document.ts';
import { DocumentTable } from '../document/document-table.ts';

/** What decoders have sent, over all calls. */
export const sent = { documents: 0, calls: 0 };

interface Options {
  readonly tables: number;
  readonly rows: number;
  /** The characters of each document. */
  readonly size: number;
  readonly asTables: boolean;
}

/** Sends numbered documents. Skips the known ones, and returns when the sink is full. */
export class SkippingDecoder implements RecordDecoder {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  decode(_bytes: Uint8Array, _position: unknown, sink: RecordSink): void {
    const { tables, rows, size, asTables } = this.#options;
    sent.calls++;
    for (let table = 0; table < tables && !sink.full; table++) {
      if ((sink.known ?? 0) >= rows) {
        sink.skip?.(rows);
        continue;
      }
      sent.documents += rows;
      const ids = Array.from({ length: rows }, (_, row) => `${table * rows + row}`);
      const texts = ids.map((id) => id.padEnd(size, '.'));
      if (asTables) sink.table?.(new DocumentTable(['id', 'text'], [ids, texts], rows));
      else {
        for (const [row, id] of ids.entries()) {
          const document = Document.create(id);
          document.set('text', texts[row] as string);
          sink.document(document);
        }
      }
    }
  }
}

/** Returns a reference to `SkippingDecoder`. */
export function skippingDecoder(options: Options): ModuleReference {
  return { url: import.meta.url, name: 'SkippingDecoder', options };
}
