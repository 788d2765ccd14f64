import type { Document, DocumentEncoder, DocumentTable, Logger, ModuleReference, Notices } from '@headrace/engine';
import { ContentHasher } from '@headrace/reindexing';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';

/** Encodes documents as `BulkEncoder` does, and hashes their content. Only `skipUnchanged` loads this module. */
export class HashingBulkEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #bulk: BulkEncoder;
  readonly #hasher = new ContentHasher();

  constructor(options: BulkEncoderOptions, log?: Logger, notices?: Notices) {
    this.#bulk = new BulkEncoder(options, log, notices);
    this.encodeTable = this.#bulk.encodeTable && ((table) => this.#encodeTable(table));
  }

  static reference(options: BulkEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'HashingBulkEncoder', options };
  }

  encode(document: Document): string {
    if (document.runId !== undefined) this.#hasher.addRunId(document.runId);
    return this.#bulk.encode(document);
  }

  hash(documents: Uint8Array, lengths: Uint32Array): Uint8Array<ArrayBuffer> {
    return this.#hasher.hash(documents, lengths);
  }

  #encodeTable(table: DocumentTable): string[] {
    for (const runId of new Set(table.column('run_id'))) if (typeof runId === 'string') this.#hasher.addRunId(runId);
    return this.#bulk.encodeTable?.(table) ?? [];
  }
}
