import type { Encoding } from 'hyparquet';
import { type ByteReader, readThrift, type Thrift } from './thrift.ts';

/** The header of a page. */
export interface PageHeader {
  /** Pages of other kinds are skipped. */
  readonly kind: 'dictionary' | 'data' | 'other';
  /** The number of bytes after the header. */
  readonly size: number;
  /** The number of bytes without compression. */
  readonly uncompressed: number;
  /** The number of values, with those that are missing. */
  readonly values: number;
  readonly encoding: Encoding;
  /** What only a data page of version 2 states. */
  readonly version2: { readonly rows: number; readonly levels: PageLevels } | undefined;
}

/** The levels before the values, which are never compressed. */
export interface PageLevels {
  readonly repetitionBytes: number;
  readonly definitionBytes: number;
  /** Whether the values after them are compressed. */
  readonly areValuesCompressed: boolean;
}

/** The values of the enum PageType. */
const [DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 2, 3];

/** The values of the enum Encoding. */
const ENCODINGS: readonly Encoding[] = [
  'PLAIN',
  'GROUP_VAR_INT',
  'PLAIN_DICTIONARY',
  'RLE',
  'BIT_PACKED',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'DELTA_BYTE_ARRAY',
  'RLE_DICTIONARY',
  'BYTE_STREAM_SPLIT',
  'ALP',
];

/** Reads the header of a page, and moves the reader to the bytes after it. (Source: PageHeader in parquet.thrift.) */
export function readPageHeader(reader: ByteReader): PageHeader {
  const header = readThrift(reader);
  const common = { size: integer(header.field_3), uncompressed: integer(header.field_2), version2: undefined };
  switch (header.field_1) {
    case DATA_PAGE:
      return { ...common, ...aboutValues(header.field_5, 'field_2'), kind: 'data' };
    case DICTIONARY_PAGE:
      return { ...common, ...aboutValues(header.field_7, 'field_2'), kind: 'dictionary' };
    case DATA_PAGE_V2: {
      const about = aboutValues(header.field_8, 'field_4');
      const { field_3, field_5, field_6, field_7 } = header.field_8 as Thrift;
      const levels = {
        definitionBytes: integer(field_5),
        repetitionBytes: integer(field_6),
        areValuesCompressed: field_7 !== false,
      };
      return { ...common, ...about, version2: { rows: integer(field_3), levels }, kind: 'data' };
    }
    default:
      return { ...common, values: 0, encoding: 'PLAIN', kind: 'other' };
  }
}

function aboutValues(about: unknown, encodingField: 'field_2' | 'field_4'): Pick<PageHeader, 'values' | 'encoding'> {
  if (about === undefined) throw new Error('a page has no header for its type');
  const stated = integer((about as Thrift)[encodingField]);
  const encoding = ENCODINGS[stated];
  if (encoding === undefined) throw new Error(`the encoding ${stated} is not supported`);
  return { values: integer((about as Thrift).field_1), encoding };
}

function integer(value: unknown): number {
  if (typeof value !== 'number') throw new Error('the header of a page has no sizes');
  return value;
}
