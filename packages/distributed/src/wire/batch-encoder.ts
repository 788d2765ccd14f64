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
import { partitionOf } from './murmur2.ts';

/** The options of `BatchEncoder`. Plain data. */
export interface BatchEncoderOptions {
  /** The number of partitions of the topic that the documents go to. */
  readonly partitions: number;
}

/** A line longer than this is split, so that messages stay below the limits of brokers. */
const LINE_CHARACTERS = 256 * 1024;

/** The values of a field: one for each document, or one for all. */
export type WireColumn = WireValue[] | { readonly all: WireValue };

/** Documents with the same fields. */
export interface WireTable {
  readonly names: readonly string[];
  readonly count: number;
  readonly columns: readonly WireColumn[];
}

/**
 * Encodes documents for a topic, as lines: the partition, the number of documents and their JSON, separated by tabs.
 * Documents of a table stay in columns, which cost nothing for each document to read. Every document goes to the
 * partition of its id, so that the versions of a document stay in order.
 */
export class BatchEncoder implements DocumentEncoder {
  readonly #partitions: number;

  constructor({ partitions }: BatchEncoderOptions) {
    this.#partitions = partitions;
  }

  static reference(options: BatchEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'BatchEncoder', options };
  }

  encode(document: Document): string {
    const { id, fieldNames, fieldValues } = document;
    return `${partitionOf(id, this.#partitions)}\t1\t${JSON.stringify([fieldNames, encodeList(fieldValues)])}\n`;
  }

  encodeTable(table: DocumentTable): string[] {
    if (this.#partitions === 1) return linesOf(table, 0);
    const rows = new Map<number, number[]>();
    for (const [row, id] of table.ids.entries()) {
      rows.getOrInsertComputed(partitionOf(id, this.#partitions), () => []).push(row);
    }
    return Array.from(rows, ([partition, some]) =>
      linesOf(some.length === table.count ? table : table.select(some), partition),
    ).flat();
  }
}

/** The lines of the documents of a table, all for one partition. */
function linesOf(table: DocumentTable, partition: number): string[] {
  const { names, count } = table;
  const columns = names.map((name) => table.column(name) as Column);
  const text = JSON.stringify(wireTable(names, columns, 0, count));
  const pieces = Math.min(count, Math.ceil(text.length / LINE_CHARACTERS));
  if (pieces <= 1) return [`${partition}\t${count}\t${text}\n`];
  const size = Math.ceil(count / pieces);
  const lines: string[] = [];
  for (let from = 0; from < count; from += size) {
    const to = Math.min(count, from + size);
    lines.push(`${partition}\t${to - from}\t${JSON.stringify(wireTable(names, columns, from, to))}\n`);
  }
  return lines;
}

function wireTable(names: readonly string[], columns: readonly Column[], from: number, to: number): WireTable {
  return { names, count: to - from, columns: columns.map((column) => wireColumn(column, from, to)) };
}

function wireColumn(column: Column, from: number, to: number): WireColumn {
  const first = column[from];
  if (typeof first === 'string' && column[to - 1] === first && isSame(column, first, from, to)) return { all: first };
  const values = from === 0 && to === column.length ? column : column.slice(from, to);
  // A missing value. JSON has none, and null is a value.
  if (values.includes(undefined)) return values.map((value) => (value === undefined ? MISSING : wire(value)));
  return encodeList(values as readonly Value[]);
}

function isSame(column: Column, value: Value, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (column[row] !== value) return false;
  return true;
}

function wire(value: Value): WireValue {
  return encodeList([value])[0] as WireValue;
}

const MISSING = { u: 1 } as unknown as WireValue;
