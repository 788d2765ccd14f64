import {
  type Column,
  Document,
  DocumentTable,
  decodeList,
  internName,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  Shape,
  type Value,
  type WireValue,
} from '@headrace/engine';
import type { WireColumn, WireTable } from './batch-encoder.ts';

/** Where a batch comes from, and which of its documents to decode. */
export interface BatchPosition {
  /** For messages about errors. */
  readonly place: string;
  /** The numbers of the documents, from 0: `[from, to)`. All if absent. They are then decoded one by one. */
  readonly only?: readonly [from: number, to: number];
}

const LF = 10;

/** Decodes the lines of `BatchEncoder`, without the partition and the number of documents. */
export class BatchDecoder implements RecordDecoder {
  static readonly reference: ModuleReference = { url: import.meta.url, name: 'BatchDecoder', options: {} };

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { place, only } = position as BatchPosition;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let number = 0;
    for (let at = 0, line = 1; at < buffer.length; line++) {
      const found = buffer.indexOf(LF, at);
      const end = found < 0 ? buffer.length : found;
      let documents: Document[] | DocumentTable;
      try {
        documents = read(JSON.parse(buffer.toString('utf8', at, end)));
      } catch (error) {
        sink.reject({ place: `${place}, line ${line}`, message: `it cannot be decoded: ${messageOf(error)}` });
        documents = [];
      }
      at = end + 1;
      if (only === undefined && documents instanceof DocumentTable && sink.table !== undefined) {
        sink.table(documents);
        continue;
      }
      for (const document of each(documents)) {
        if (only === undefined || (number >= only[0] && number < only[1])) sink.document(document);
        number++;
      }
    }
  }
}

function read(line: [string[], WireValue[]] | WireTable): Document[] | DocumentTable {
  if (Array.isArray(line)) {
    const [names, values] = line;
    return [new Document(Shape.common(names.map(internName)), decodeList(values))];
  }
  const { names, count, columns } = line;
  const values = columns.map((column) => readColumn(column, count));
  const sparse = values.map((column) => column.includes(undefined));
  return new DocumentTable(names.map(internName), values, count, sparse);
}

function readColumn(column: WireColumn, count: number): Column {
  if (!Array.isArray(column)) return new Array<Value>(count).fill(decodeList([column.all])[0] as Value);
  if (column.length !== count) throw new Error(`a column has ${column.length} values instead of ${count}`);
  // Texts and numbers stay unchanged.
  if (!column.some((value) => typeof value === 'object' && value !== null)) return column as Value[];
  return column.map((value) => (isMissing(value) ? undefined : decodeList([value])[0]));
}

function isMissing(value: WireValue): boolean {
  return typeof value === 'object' && value !== null && 'u' in value;
}

function* each(documents: Document[] | DocumentTable): Generator<Document> {
  if (Array.isArray(documents)) yield* documents;
  else for (let row = 0; row < documents.count; row++) yield documents.document(row);
}
