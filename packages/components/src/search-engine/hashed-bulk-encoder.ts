import type { Document, DocumentEncoder, DocumentTable, Logger, ModuleReference } from '@headrace/engine';
import { contentHasher } from '@headrace/reindexing';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';

/** The settings of the documents. Plain data. */
interface HashedBulkEncoderOptions extends BulkEncoderOptions {
  readonly runId: string;
}

/** Encodes documents as `BulkEncoder` does, each after the hash of its content. Only `skipUnchanged` loads this module. */
export class HashedBulkEncoder implements DocumentEncoder {
  readonly encode: (document: Document) => string;
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;

  constructor(options: HashedBulkEncoderOptions, log?: Logger) {
    const bulk = new BulkEncoder(options, log);
    const hashed = contentHasher(options.runId);
    const { encodeTable } = bulk;
    this.encode = (document) => hashed(bulk.encode(document));
    this.encodeTable = encodeTable && ((table) => encodeTable(table).map(hashed));
  }

  static reference(options: HashedBulkEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'HashedBulkEncoder', options };
  }
}
