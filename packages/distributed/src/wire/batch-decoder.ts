import { isAscii } from 'node:buffer';
import {
  counted,
  Document,
  decodeList,
  internName,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  release,
  Shape,
  type Value,
  type WireValue,
} from '@headrace/engine';
import type { WireColumn, WireDocument, WireTable } from './batch-encoder.ts';
import { decompress } from './compression.ts';
import { type Frame, isCount, readFrames } from './frames.ts';
import { countJoined, JoinedColumn } from './joined-column.ts';
import { JoinedRows, type Rows, type RowsColumn, tableOf } from './joined-rows.ts';

/** The origin of a batch, and which of its documents to decode. */
export interface BatchPosition {
  /** The place of the message, for error messages. */
  readonly place: string;
  /** The number of documents in the message, if its header says it. All fail if the message cannot be read. */
  readonly count?: number | undefined;
  /** The number of bytes of the message before its compression, if its header says it. */
  readonly bytes?: number | undefined;
  /** The lengths of the separately compressed pieces of the message, if its header says it. */
  readonly pieces?: readonly number[] | undefined;
  /**
   * The range of document numbers to decode, from 0: `[from, to)`. They are decoded one by one. If absent, all
   * documents are decoded.
   */
  readonly only?: readonly [from: number, to: number];
}

/** Decodes the frames of `BatchEncoder`, which may be compressed. */
export class BatchDecoder implements RecordDecoder {
  static readonly reference: ModuleReference = { url: import.meta.url, name: 'BatchDecoder', options: {} };

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { place, count: all, bytes: expected, pieces, only } = position as BatchPosition;
    /** Rejects the documents `[from, to)`, without those that are not wanted. */
    const reject = (where: string, from: number, to: number, message: string) => {
      const count = Math.min(to, only?.[1] ?? to) - Math.max(from, only?.[0] ?? from);
      if (count > 0) sink.reject({ place: where, message, ...(count === 1 ? {} : { count }) });
    };
    let frames: Frame[];
    const contents: Uint8Array[] = [];
    try {
      frames = cut(bytes, pieces).flatMap((piece) => {
        const content = decompress(piece, pieces === undefined ? expected : undefined);
        if (content !== piece) contents.push(content);
        return [...readFrames(content)];
      });
    } catch (error) {
      reject(place, 0, isCount(all) ? all : 1, messageOf(error));
      return;
    }
    const whole = only === undefined && sink.table !== undefined ? new JoinedRows(sink.table.bind(sink)) : undefined;
    let number = 0;
    for (const { count, payload } of frames) {
      const first = number;
      number += count;
      let documents: Document | Rows;
      try {
        documents = read(payload, count);
      } catch (error) {
        whole?.flush();
        const message = `${counted(count, 'document')} cannot be decoded: ${messageOf(error)}`;
        reject(`${place}, document ${first}`, first, number, message);
        continue;
      }
      if (documents instanceof Document) {
        whole?.flush();
        if (isWanted(first, only)) sink.document(documents);
      } else if (whole !== undefined) whole.add(documents);
      else {
        const table = tableOf(documents);
        for (let row = 0; row < count; row++) if (isWanted(first + row, only)) sink.document(table.document(row));
      }
    }
    whole?.flush();
    if (isCount(all) && number < all) {
      reject(`${place}, document ${number}`, number, all, `The message has ${number} of ${counted(all, 'document')}`);
    }
    // The documents have copies of their texts.
    for (const content of contents) release(content);
  }
}

/** The ids of the documents of a batch. */
export function idsOf(bytes: Uint8Array, pieces?: readonly number[]): string[] {
  const ids: string[] = [];
  const sink: RecordSink = {
    document: ({ id }) => void ids.push(id),
    table: (table) => void ids.push(...table.ids),
    reject: () => undefined,
    warn: () => undefined,
    notice: () => undefined,
  };
  new BatchDecoder().decode(bytes, { place: '', pieces }, sink);
  return ids;
}

/** Cuts a message into its pieces. */
function cut(bytes: Uint8Array, pieces: unknown): Uint8Array[] {
  if (!Array.isArray(pieces)) return [bytes];
  let at = 0;
  const cuts = pieces.map((length) => {
    // Other programs may write any number.
    if (!Number.isSafeInteger(length) || length <= 0) throw new Error('The header of the message is damaged');
    at += length as number;
    return bytes.subarray(at - length, at);
  });
  if (at !== bytes.length) throw new Error(`The message has ${bytes.length} bytes instead of ${at}`);
  return cuts;
}

function isWanted(number: number, only: BatchPosition['only']): boolean {
  return only === undefined || (number >= only[0] && number < only[1]);
}

function read(payload: Buffer, count: number): Document | Rows {
  // Most texts are ASCII. Reading ASCII as Latin-1 is faster: one byte is one character.
  const text = payload.toString(isAscii(payload) ? 'latin1' : 'utf8');
  const end = text.indexOf('\n');
  const head = JSON.parse(text.slice(0, end)) as WireDocument | WireTable;
  if (Array.isArray(head)) {
    const [names, values] = head as unknown as [string[], WireValue[]];
    checkFields(names, values.length, [values[names.indexOf('id')]]);
    return new Document(Shape.common(names.map(internName)), decodeList(values));
  }
  const { names, columns } = head as WireTable;
  let at = end + 1;
  const values = columns.map((column): RowsColumn => {
    if (!('texts' in column)) return readColumn(column, count);
    const from = at;
    at += column.texts;
    const texts = text.slice(from, at);
    checkCount(countJoined(texts), count);
    return new JoinedColumn(texts);
  });
  if (at !== text.length)
    throw new Error(`its texts have ${text.length - end - 1} characters instead of ${at - end - 1}`);
  const ids = values[names.indexOf('id')];
  checkFields(names, columns.length, ids instanceof JoinedColumn ? [] : ids);
  const sparse = columns.map(
    (column, i) => 'list' in column && (values[i] as (Value | undefined)[]).includes(undefined),
  );
  return { names, columns: values, sparse, count, characters: at };
}

function readColumn(column: Exclude<WireColumn, { texts: number }>, count: number): (Value | undefined)[] {
  if ('all' in column) return new Array<Value>(count).fill(decodeList([column.all])[0] as Value);
  const { list } = column;
  checkCount(list.length, count);
  if (!list.some(isMissing)) return decodeList(list);
  return list.map((value) => (isMissing(value) ? undefined : decodeList([value])[0]));
}

/** Throws unless there is one field for each name, and each document has an id: nothing checks this later. */
function checkFields(names: readonly string[], fields: number, ids: readonly unknown[] | undefined): void {
  if (names.length !== fields) throw new Error(`there are ${names.length} names and ${fields} fields`);
  if (ids === undefined || !ids.every((id) => typeof id === 'string')) throw new Error('a document has no id');
}

function checkCount(found: number, count: number): void {
  if (found !== count) throw new Error(`a column has ${found} values instead of ${count}`);
}

function isMissing(value: WireValue): boolean {
  return typeof value === 'object' && value !== null && 'u' in value;
}
