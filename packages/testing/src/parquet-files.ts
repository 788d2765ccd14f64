import { ByteWriter } from 'hyparquet-writer';

/** What a file with one column states, by default of 32-bit numbers. What is missing is true. */
export interface Statements {
  /** The elements of the schema after the root, as Thrift has them. */
  readonly elements?: readonly object[];
  /** The number of children of the root. */
  readonly children?: number;
  /** The number of rows of the row group. */
  readonly rows?: bigint;
  /** The number of values of the page. */
  readonly values?: number;
  /** The number of the encoding of the page. */
  readonly encoding?: number;
  /** The number of the codec. */
  readonly codec?: number;
  /** The sizes of the page, with and without compression. */
  readonly compressed?: number;
  readonly uncompressed?: number;
  /** The length of the footer. */
  readonly footer?: number;
}

/** The numbers of Parquet for: the type INT32, no compression, and the encodings PLAIN and RLE. */
const [INT32, BYTE_ARRAY, UNCOMPRESSED, PLAIN, RLE] = [1, 6, 0, 0, 3];
const DATA_PAGE = 0;
/** The number of the converted type of texts. */
const UTF8 = 0;
const START = 4;

export const REQUIRED = 0;
export const OPTIONAL = 1;
export const DELTA_LENGTH_BYTE_ARRAY = 6;
export const DELTA_BYTE_ARRAY = 7;

/** Returns an element of the schema with the column id. */
export function idColumn(repetition: number, type: number = INT32): object {
  return { field_1: type, field_3: repetition, field_4: 'id' };
}

/** The element of a column id with texts. */
export const TEXT_ID: object = { ...idColumn(REQUIRED, BYTE_ARRAY), field_6: UTF8 };

/** Returns a page of DELTA_BYTE_ARRAY in which each text is the one before and a letter. */
export function growingTexts(count: number): Uint8Array {
  const writer = new ByteWriter();
  // The lengths that are repeated, 0, 1, 2, …, and those of the rest, 1, 1, 1, …
  appendSteps(writer, count, 0, 1);
  appendSteps(writer, count, 1, 0);
  writer.appendBytes(Buffer.alloc(count, 'a'));
  return writer.getBytes();
}

/** Returns a page of DELTA_LENGTH_BYTE_ARRAY with lengths that grow, and some letters. */
export function textsOfLengths(count: number, first: number, difference: number, letters: number): Uint8Array {
  const writer = new ByteWriter();
  appendSteps(writer, count, first, difference);
  writer.appendBytes(Buffer.alloc(letters, 'a'));
  return writer.getBytes();
}

/** Appends numbers as their first one and their equal differences. */
function appendSteps(writer: ByteWriter, count: number, first: number, difference: number): void {
  for (const number of [128, 4, count]) writer.appendVarInt(number);
  writer.appendZigZag(first);
  for (let length = 1; length < count; length += 128) {
    writer.appendZigZag(difference);
    writer.appendBytes(new Uint8Array(4));
  }
}

/** Returns a Parquet file with one row group and one page, which has the bytes. */
export function hostileFile(bytes: Uint8Array, stated: Statements): Uint8Array {
  const {
    elements = [idColumn(REQUIRED)],
    children = elements.length,
    rows = 3n,
    values = 3,
    encoding = PLAIN,
    codec = UNCOMPRESSED,
  } = stated;
  const { compressed = bytes.length, uncompressed = bytes.length } = stated;
  const encodings = { field_1: values, field_2: encoding, field_3: RLE, field_4: RLE };
  const header = thrift({ field_1: DATA_PAGE, field_2: uncompressed, field_3: compressed, field_5: encodings });
  const size = BigInt(header.length + bytes.length);
  const column = {
    field_1: INT32,
    field_2: [encoding],
    field_3: ['id'],
    field_4: codec,
    field_5: rows,
    field_6: size,
    field_7: size,
    field_9: BigInt(START),
  };
  const footer = thrift({
    field_1: 1,
    field_2: [{ field_4: 'schema', field_5: children }, ...elements],
    field_3: rows,
    field_4: [{ field_1: [{ field_2: BigInt(START), field_3: column }], field_2: size, field_3: rows }],
  });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(stated.footer ?? footer.length);
  return Buffer.concat([Buffer.from('PAR1'), header, bytes, footer, length, Buffer.from('PAR1')]);
}

/** Returns a struct in the compact protocol of Thrift. The names of its fields are `field_` and their numbers, in order. */
function thrift(data: object): Uint8Array {
  const writer = new ByteWriter();
  writeStruct(writer, data);
  return writer.getBytes();
}

function writeStruct(writer: ByteWriter, data: object): void {
  let last = 0;
  for (const [name, value] of Object.entries(data)) {
    const number = Number(name.replace('field_', ''));
    writer.appendUint8(((number - last) << 4) | typeOf(value));
    writeValue(writer, value);
    last = number;
  }
  writer.appendUint8(0);
}

/** The numbers of the types: a 32-bit and a 64-bit integer, a text, a list and a struct. */
function typeOf(value: unknown): number {
  if (typeof value === 'number') return 5;
  if (typeof value === 'bigint') return 6;
  if (typeof value === 'string') return 8;
  return Array.isArray(value) ? 9 : 12;
}

function writeValue(writer: ByteWriter, value: unknown): void {
  if (typeof value === 'number' || typeof value === 'bigint') writer.appendZigZag(value);
  else if (typeof value === 'string') {
    writer.appendVarInt(value.length);
    writer.appendBytes(Buffer.from(value));
  } else if (Array.isArray(value)) {
    writer.appendUint8(0xf0 | typeOf(value[0]));
    writer.appendVarInt(value.length);
    for (const item of value) writeValue(writer, item);
  } else writeStruct(writer, value as object);
}
