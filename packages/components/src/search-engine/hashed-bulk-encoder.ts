import type { Document, DocumentEncoder, DocumentTable, Logger, ModuleReference } from '@headrace/engine';
import { ANY_RUN, runLine, withHash, withHashes } from '@headrace/reindexing';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';

/** Encodes documents as `BulkEncoder` does, each after the hash of its content. Only `skipUnchanged` loads this module. */
export class HashedBulkEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #bulk: BulkEncoder;

  constructor(options: BulkEncoderOptions, log?: Logger) {
    this.#bulk = new BulkEncoder(options, log);
    this.encodeTable = this.#bulk.encodeTable && ((table) => this.#encodeTable(table));
  }

  static reference(options: BulkEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'HashedBulkEncoder', options };
  }

  encode(document: Document): string {
    const { runId } = document;
    if (runId !== undefined) document.setRunId(ANY_RUN);
    try {
      return withHash(this.#bulk.encode(document), runLine(runId));
    } finally {
      if (runId !== undefined) document.setRunId(runId);
    }
  }

  #encodeTable(table: DocumentTable): string[] {
    const runIds = table.column('run_id');
    const before = table.save();
    try {
      if (runIds !== undefined) table.fill('run_id', ANY_RUN);
      return withHashes(this.#bulk.encodeTable?.(table) ?? [], runIds ?? []);
    } finally {
      table.restore(before);
    }
  }
}
