import { double, integer, readJson, type Value } from '@headrace/engine';
import { type BytesReader, readArray, type ScalarKind, type ValueKind } from '@headrace/formats/records/postgres';
import type { ColumnValues } from '../column-values.ts';

/** Converts the text of a column to a value. */
export type TextReader = (text: string) => Value;

/** Integers of up to this many characters fit into a plain number. */
const SAFE_LENGTH = 15;
const MINUS = 45;
const ZERO = 48;
const LETTER_T = 116;
const ONE = 49;

/** Returns the reader of texts of a kind. */
export function textReader(kind: ValueKind, values: ColumnValues, column: string): TextReader {
  const { times } = values;
  if (kind.startsWith('array:')) {
    const element = textReader(kind.slice('array:'.length) as ScalarKind, values, column);
    return (text) => readArray(text, element);
  }
  switch (kind as ScalarKind) {
    case 'int':
      return Number;
    case 'int8':
      return (text) => (text.length <= SAFE_LENGTH ? Number(text) : integer(BigInt(text)));
    case 'double':
      return (text) => double(Number(text));
    case 'boolean':
      return (text) => text === 't' || text === '1';
    case 'bytes':
      return bytesOf;
    case 'decimal':
      return values.decimal(column);
    case 'instant':
      return (text) => times.instant(text);
    case 'date':
      return values.date(column);
    case 'json':
      return readJson;
    case 'money':
      return moneyOf;
    case 'text':
    case 'other':
      return (text) => text;
  }
}

/** Returns the reader of bytes of a kind. It reads numbers without creating a text. */
export function bytesReader(kind: ValueKind, values: ColumnValues, column: string): BytesReader<Value> {
  const { times } = values;
  switch (kind) {
    case 'int':
      return readInteger;
    case 'int8':
      return (bytes, from, to) =>
        to - from <= SAFE_LENGTH ? readInteger(bytes, from, to) : integer(BigInt(bytes.toString('latin1', from, to)));
    case 'double':
      return (bytes, from, to) => double(Number(bytes.toString('latin1', from, to)));
    case 'boolean':
      return (bytes, from) => bytes[from] === LETTER_T || bytes[from] === ONE;
    case 'instant':
      return (bytes, from, to) => times.instant(bytes.toString('latin1', from, to));
    case 'date':
    case 'decimal': {
      const read = textReader(kind, values, column);
      return (bytes, from, to) => read(bytes.toString('latin1', from, to));
    }
    case 'text':
    case 'other':
      return (bytes, from, to) => bytes.toString('utf8', from, to);
    default: {
      const read = textReader(kind, values, column);
      return (bytes, from, to) => read(bytes.toString('utf8', from, to));
    }
  }
}

function readInteger(bytes: Buffer, from: number, to: number): number {
  const negative = bytes[from] === MINUS;
  let value = 0;
  for (let i = negative ? from + 1 : from; i < to; i++) value = value * 10 + ((bytes[i] as number) - ZERO);
  return negative ? -value : value;
}

/**
 * Reads bytes in the form `\x6869`, or in the older form `hi\\\000`: a backslash and three octal digits, or two
 * backslashes.
 */
function bytesOf(text: string): Uint8Array {
  if (text.startsWith('\\x')) return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
  const plain = text.replace(/\\(?:\\|([0-3][0-7]{2}))/g, (_, octal?: string) =>
    octal === undefined ? '\\' : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return new Uint8Array(Buffer.from(plain, 'latin1'));
}

/** Reads `$1,234.50`, `-$0.10` and `($5.00)`. Other national forms stay texts. */
function moneyOf(text: string): Value {
  const number = Number(text.replace(/[^\d.-]/g, ''));
  if (Number.isNaN(number) || /,\d\d$/.test(text)) return text;
  return double(text.startsWith('(') ? -number : number);
}
