import {
  type Column,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  encodeList,
  type ModuleReference,
  type Value,
  type WireValue,
} from '@headrace/engine';
import { JoinedColumn, SEPARATOR } from './joined-column.ts';
import { partitionOf } from './murmur2.ts';
import { pack } from './packed-batches.ts';

/** The options of `BatchEncoder`. Plain data, so that they can be sent to another thread. */
export interface BatchEncoderOptions {
  /** The number of partitions of the destination topic. */
  readonly partitions: number;
  /** The maximum size of a message. */
  readonly maxBytes: number;
}

/** A frame longer than this is split, so that messages stay below the limits of brokers. */
const FRAME_CHARACTERS = 256 * 1024;

/**
 * The values of a column: the number of characters of its joined texts, one value that all documents have, or a list.
 */
export type WireColumn = { readonly texts: number } | { readonly all: WireValue } | { readonly list: WireValue[] };

/** The head of a frame for documents with the same fields. The texts of the columns follow it. */
export interface WireTable {
  readonly names: readonly string[];
  readonly columns: readonly WireColumn[];
}

/** The head of a frame with one document. */
export type WireDocument = readonly [names: readonly string[], values: readonly WireValue[]];

/**
 * Encodes documents for a topic, in frames.
 *
 * A frame has three parts. The first line contains the partition, the number of documents and the number of bytes. The
 * second line is the head, in JSON. The third part has the texts of the columns. The documents of a document table stay
 * in columns, because joining and splitting texts is several times as fast as JSON. The partition depends on the id of a document, so the
 * versions of a document stay in order.
 */
export class BatchEncoder implements DocumentEncoder {
  readonly #partitions: number;
  readonly #maxBytes: number;

  constructor({ partitions, maxBytes }: BatchEncoderOptions) {
    this.#partitions = partitions;
    this.#maxBytes = maxBytes;
  }

  static reference(options: BatchEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'BatchEncoder', options };
  }

  pack(frames: Uint8Array): Uint8Array<ArrayBuffer> {
    return pack(frames, this.#maxBytes);
  }

  encode(document: Document): string {
    const { id, fieldNames, fieldValues } = document;
    return frame(partitionOf(id, this.#partitions), 1, JSON.stringify([fieldNames, encodeList(fieldValues)]), '');
  }

  encodeTable(table: DocumentTable): string[] {
    const columns = columnsOf(table);
    if (this.#partitions === 1) return framesOf(table.names, columns, table.count, 0);
    const rows = new Map<number, number[]>();
    for (const [row, id] of table.ids.entries()) {
      rows.getOrInsertComputed(partitionOf(id, this.#partitions), () => []).push(row);
    }
    return Array.from(rows, ([partition, some]) => {
      // A worker reads the documents of one partition, and they go to one partition again.
      if (some.length === table.count) return framesOf(table.names, columns, table.count, partition);
      const selected = columns.map((column) => {
        const values = valuesOf(column);
        return some.map((row) => values[row]);
      });
      return framesOf(table.names, selected, some.length, partition);
    }).flat();
  }
}

/** The values of a field, or its joined texts if no stage has changed them. */
type TableColumn = Column | JoinedColumn;

function columnsOf(table: DocumentTable): TableColumn[] {
  return table.names.map((name) => {
    const lazy = table.lazyColumn(name);
    return lazy instanceof JoinedColumn ? lazy : (table.column(name) as Column);
  });
}

function valuesOf(column: TableColumn): Column {
  return column instanceof JoinedColumn ? column.values : column;
}

/** Returns the frames of documents with the same fields, all for one partition. */
function framesOf(
  names: readonly string[],
  columns: readonly TableColumn[],
  count: number,
  partition: number,
): string[] {
  let characters = 0;
  const written = columns.map((column) => {
    const encoded = encodeColumn(column);
    characters += encoded.text.length + (encoded.json?.length ?? 0);
    return encoded;
  });
  if (characters > FRAME_CHARACTERS && count > 1) {
    const half = count >> 1;
    const part = (from: number, to: number) => columns.map((column) => valuesOf(column).slice(from, to));
    return [
      ...framesOf(names, part(0, half), half, partition),
      ...framesOf(names, part(half, count), count - half, partition),
    ];
  }
  const heads = written.map(({ text, json }) => json ?? `{"texts":${text.length}}`);
  const head = `{"names":${JSON.stringify(names)},"columns":[${heads.join(',')}]}`;
  return [frame(partition, count, head, written.map(({ text }) => text).join(''))];
}

function frame(partition: number, count: number, head: string, texts: string): string {
  const payload = `${head}\n${texts}`;
  return `${partition}\t${count}\t${Buffer.byteLength(payload)}\n${payload}`;
}

/** Returns a column as joined texts, or as JSON. */
function encodeColumn(column: TableColumn): { readonly text: string; readonly json?: string } {
  if (column instanceof JoinedColumn) return column;
  const first = column[0];
  if (first !== undefined && typeof first !== 'object' && isSame(column, first)) {
    return { text: '', json: JSON.stringify({ all: encodeList([first])[0] }) };
  }
  const text = joined(column);
  if (text !== undefined) return { text };
  // Marks a missing value, because JSON has none and null is a value.
  const list = column.includes(undefined)
    ? column.map((value) => (value === undefined ? MISSING : encodeList([value])[0]))
    : encodeList(column as readonly Value[]);
  return { text: '', json: JSON.stringify({ list }) };
}

/** Joins the texts of a column with separators. Returns undefined if splitting would not restore the same texts. */
function joined(column: Column): string | undefined {
  for (const value of column) if (typeof value !== 'string') return undefined;
  const text = column.join(SEPARATOR);
  let separators = 0;
  for (let at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + 1)) separators++;
  // UTF-8 cannot encode half of a surrogate pair.
  return separators === column.length - 1 && text.isWellFormed() ? text : undefined;
}

function isSame(column: Column, value: Value): boolean {
  for (const other of column) if (other !== value) return false;
  return true;
}

const MISSING = { u: 1 };
