import type { ModuleReference, RecordDecoder, RecordSink } from '../component/connector.ts';
import { Document } from '../document/document.ts';
import { DocumentTable } from '../document/document-table.ts';

/** A record of the test decoder. */
export interface TestRecord {
  readonly kind: 'document' | 'rejected';
  /** The number of notices about it. */
  readonly notices: number;
}

interface Options {
  /** The number of documents in a table. 0: the decoder sends single documents. */
  readonly tableRows: number;
  /** True if the decoder uses `known` and `full`. */
  readonly isQuick: boolean;
  /** The number of characters of each document. */
  readonly size: number;
  /** The number of notices after the last record. */
  readonly atEnd: number;
}

/** Decodes records that are given as the position of their chunk, and reports notices about them. */
export class NoticingDecoder implements RecordDecoder {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  decode(_bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { tableRows, isQuick, size, atEnd } = this.#options;
    const ids: string[] = [];
    const flush = () => {
      if (ids.length === 0) return;
      const texts = ids.map((id) => id.padEnd(size, '.'));
      sink.table?.(new DocumentTable(['id', 'text'], [ids.splice(0), texts], texts.length));
    };
    for (const [i, { kind, notices }] of (position as TestRecord[]).entries()) {
      if (isQuick && sink.full) return;
      if (isQuick && ids.length === 0 && (sink.known ?? 0) > 0) {
        sink.skip?.(1);
        continue;
      }
      for (let n = 0; n < notices; n++) {
        sink.notice('bytes.invalid', { line: i, ahead: kind === 'rejected' ? 0 : ids.length });
      }
      if (kind === 'rejected') {
        flush();
        sink.reject({ place: `${i}`, message: 'rejected' });
      } else if (tableRows === 0) {
        const document = Document.create(`${i}`);
        document.set('text', `${i}`.padEnd(size, '.'));
        sink.document(document);
      } else {
        ids.push(`${i}`);
        if (ids.length >= tableRows) flush();
      }
    }
    flush();
    if (atEnd > 0) sink.notice('bytes.invalid', { count: atEnd });
  }
}

/** Returns a reference to `NoticingDecoder`. */
export function noticingDecoder(options: Options): ModuleReference {
  return { url: import.meta.url, name: 'NoticingDecoder', options };
}
