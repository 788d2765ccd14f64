import type { Document, DocumentEncoder, DocumentTable, Logger, ModuleReference } from '@headrace/engine';
import { withHash, withoutHash } from '@headrace/reindexing';
import { BulkEncoder, type BulkEncoderOptions, DELETION } from './bulk-encoder.ts';

/** The settings of the documents. Plain data. */
export interface HashedBulkEncoderOptions extends BulkEncoderOptions {
  readonly runId: string;
}

/** Encodes documents as `BulkEncoder` does, each after the hash of its content, for `skipUnchanged`. */
export class HashedBulkEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #bulk: BulkEncoder;
  readonly #runId: string;

  constructor(options: HashedBulkEncoderOptions, log?: Logger) {
    const bulk = new BulkEncoder(options, log);
    this.#bulk = bulk;
    this.#runId = `"run_id":${JSON.stringify(options.runId)}`;
    const { encodeTable } = bulk;
    if (encodeTable !== undefined) this.encodeTable = (table) => this.#withHashes(encodeTable(table));
  }

  static reference(options: HashedBulkEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'HashedBulkEncoder', options };
  }

  encode(document: Document): string {
    const text = this.#bulk.encode(document);
    return text.startsWith(DELETION) ? withoutHash(text) : withHash(text, this.#runId);
  }

  /** Tables have no deletions. */
  #withHashes(texts: string[]): string[] {
    for (let i = 0; i < texts.length; i++) texts[i] = withHash(texts[i] as string, this.#runId);
    return texts;
  }
}
