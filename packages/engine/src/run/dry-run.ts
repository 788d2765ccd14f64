import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { ModuleReference } from '../component/connector.ts';
import { type DocumentEncoder, type EncodedBatch, Indexer, type IndexFailure } from '../component/indexer.ts';
import { type TObject, Type } from '../component/schema.ts';
import type { Document } from '../document/document.ts';
import { writeDocument, writeString } from '../document/json-writer.ts';

const parameters: TObject = Type.Object({ path: Type.String() });

/** Encodes each document that a real run would send to the indexer as `{"connector", "document"}`. */
export class DryRunEncoder implements DocumentEncoder {
  readonly #prefix: string;

  constructor({ connector }: { connector: string }) {
    this.#prefix = `{"connector":${writeString(connector)},"document":`;
  }

  encode(document: Document): string {
    return `${this.#prefix}${writeDocument(document)}}\n`;
  }
}

/** Replaces the indexer in a dry run. Writes a file of JSON lines. */
export class DryRunIndexer extends Indexer {
  static override readonly parameters = parameters;
  static override readonly block = undefined;
  override readonly streaming = true;
  #file: FileHandle | undefined;

  override encoder(): ModuleReference | undefined {
    return undefined;
  }

  override async connect(): Promise<void> {
    this.#file = await fs.promises.open((this.params as { path: string }).path, 'w');
  }

  override async send({ pieces }: EncodedBatch): Promise<IndexFailure[]> {
    for (const piece of pieces) await this.#file?.writeFile(piece);
    return [];
  }

  override async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** Returns the encoder of a dry run for this connector. */
export function dryRunEncoder(connector: string): ModuleReference {
  return { url: import.meta.url, name: 'DryRunEncoder', options: { connector } };
}
