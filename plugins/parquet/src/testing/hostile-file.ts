import { ByteWriter } from 'hyparquet-writer';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';

/** What a file with a column of 32-bit numbers states. Whatever is missing is true. */
export interface Statements {
  /** The elements of the schema after the root, as Thrift has them. */
  readonly elements?: readonly object[];
  /** The number of children of the root. */
  readonly children?: number;
  /** The number of rows of the row group. */
  readonly rows?: bigint;
  /** The number of values of the page. */
  readonly values?: number;
  /** The sizes of the page, with and without compression. */
  readonly compressed?: number;
  readonly uncompressed?: number;
  /** The length of the footer. */
  readonly footer?: number;
}

/** The numbers of Parquet for: the type INT32, no compression, and the encodings PLAIN and RLE. */
const [INT32, UNCOMPRESSED, PLAIN, RLE] = [1, 0, 0, 3];
const DATA_PAGE = 0;
const START = 4;

export const REQUIRED = 0;
export const OPTIONAL = 1;

/** Returns an element of the schema with the column id. */
export function idColumn(repetition: number): object {
  return { field_1: INT32, field_3: repetition, field_4: 'id' };
}

/** Returns a Parquet file with one row group and one page, which has the bytes. */
export function hostileFile(bytes: Uint8Array, stated: Statements): Uint8Array {
  const { elements = [idColumn(REQUIRED)], children = elements.length, rows = 3n, values = 3 } = stated;
  const { compressed = bytes.length, uncompressed = bytes.length } = stated;
  const encodings = { field_1: values, field_2: PLAIN, field_3: RLE, field_4: RLE };
  const header = thrift({ field_1: DATA_PAGE, field_2: uncompressed, field_3: compressed, field_5: encodings });
  const size = BigInt(header.length + bytes.length);
  const column = {
    field_1: INT32,
    field_2: [PLAIN],
    field_3: ['id'],
    field_4: UNCOMPRESSED,
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

function thrift(data: Record<`field_${number}`, unknown>): Uint8Array {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, data);
  return writer.getBytes();
}
