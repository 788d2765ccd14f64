import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { ModuleReference } from '../component/connector.ts';
import { type DocumentEncoder, type EncodedBatch, Indexer, type IndexFailure } from '../component/indexer.ts';
import { type TObject, Type } from '../component/schema.ts';
import type { Document } from '../document/document.ts';
import { writeDocument, writeString } from '../document/json-writer.ts';

const parameters: TObject = Type.Object({ path: Type.String() });

/** Writes `{"connector", "document"}` for each document that would have reached the indexer. */
export class DryRunEncoder implements DocumentEncoder {
  private readonly prefix: string;

  constructor({ connector }: { connector: string }) {
    this.prefix = `{"connector":${writeString(connector)},"document":`;
  }

  encode(document: Document): string {
    return `${this.prefix}${writeDocument(document)}}\n`;
  }
}

/** Takes the place of the indexer in a dry run: a file of JSON lines. */
export class DryRunIndexer extends Indexer {
  static override readonly parameters = parameters;
  static override readonly block = undefined;
  override readonly streaming = true;
  private file: WriteStream | undefined;

  override encoder(): ModuleReference | undefined {
    return undefined;
  }

  override async connect(): Promise<void> {
    const file = createWriteStream((this.params as { path: string }).path);
    await once(file, 'open');
    this.file = file;
  }

  override async send({ pieces }: EncodedBatch): Promise<IndexFailure[]> {
    await new Promise<void>((resolve, reject) => {
      this.file?.write(Buffer.concat(pieces), (error) => (error ? reject(error) : resolve()));
    });
    return [];
  }

  override async close(): Promise<void> {
    const { file } = this;
    if (file === undefined) return;
    await new Promise<void>((resolve, reject) =>
      file.end((error?: Error | null) => (error ? reject(error) : resolve())),
    );
  }
}

/** How to encode for a dry run of this connector. */
export function dryRunEncoder(connector: string): ModuleReference {
  return { url: import.meta.url, name: 'DryRunEncoder', options: { connector } };
}
