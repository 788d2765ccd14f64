import { inflateSync, constants as zlib } from 'node:zlib';
import type { Compression } from './unpacked.ts';
import { XZ_MAGIC } from './unxz.ts';

/** A format of files that are no text. */
export interface BinaryFormat {
  /** The name for messages, with its article. */
  readonly name: string;
  /** The compression, if the content can be unpacked. */
  readonly compression?: Compression;
  /** What reads the format. A sentence. */
  readonly readBy: string;
}

const ARCHIVE = 'Read it with FileConnector and fileOptions { handleArchivedFiles: true }.';
const TEXT = 'Read it with FileConnector, and take its text with TextExtractor of @headrace/text-extraction.';
const DECOMPRESS = 'Decompress it first.';
const CONVERT = 'Nothing in Headrace reads it: convert it to CSV or JSON first.';

interface Signature extends BinaryFormat {
  readonly bytes: Buffer;
  readonly offset?: number;
}

const of = (...bytes: number[]) => Buffer.from(bytes);
const SIGNATURES: readonly Signature[] = [
  { name: 'a gzip file', compression: 'gzip', bytes: of(0x1f, 0x8b, 0x08), readBy: DECOMPRESS },
  { name: 'an xz file', compression: 'xz', bytes: XZ_MAGIC, readBy: DECOMPRESS },
  { name: 'a zstd file', compression: 'zstd', bytes: of(0x28, 0xb5, 0x2f, 0xfd), readBy: DECOMPRESS },
  { name: 'a ZIP archive, or an Office file', bytes: of(0x50, 0x4b, 3, 4), readBy: `${ARCHIVE} ${TEXT}` },
  { name: 'an empty ZIP archive', bytes: of(0x50, 0x4b, 5, 6), readBy: ARCHIVE },
  { name: 'a 7z archive', bytes: of(0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c), readBy: DECOMPRESS },
  { name: 'a RAR archive', bytes: of(0x52, 0x61, 0x72, 0x21, 0x1a, 0x07), readBy: DECOMPRESS },
  { name: 'an lz4 file', bytes: of(0x04, 0x22, 0x4d, 0x18), readBy: DECOMPRESS },
  { name: 'a snappy file', bytes: of(0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50), readBy: DECOMPRESS },
  { name: 'a file of compress (.Z)', bytes: of(0x1f, 0x9d), readBy: DECOMPRESS },
  { name: 'a PDF file', bytes: Buffer.from('%PDF-'), readBy: TEXT },
  { name: 'an Excel, Word or PowerPoint file (OLE2)', bytes: of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1), readBy: TEXT },
  { name: 'an Avro file', bytes: of(0x4f, 0x62, 0x6a, 0x01), readBy: CONVERT },
  { name: 'an Arrow file', bytes: Buffer.from('ARROW1\0\0'), readBy: CONVERT },
  { name: 'a SQLite database', bytes: Buffer.from('SQLite format 3\0'), readBy: 'Read it with DatabaseConnector.' },
  { name: 'a tar archive', bytes: Buffer.from('ustar'), offset: 257, readBy: ARCHIVE },
];

/** How the first block, or the end, of a bzip2 stream begins, after the four bytes of its header. */
const BZIP2_BLOCKS = [of(0x31, 0x41, 0x59, 0x26, 0x53, 0x59), of(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)];
/** The headers of the usual levels of zlib. `x^` may be a text, so the data must inflate. */
const ZLIB = [0x01, 0x5e, 0x9c, 0xda];

/** Recognises files that are no text by their first bytes, about 1 KiB. Returns undefined for texts. */
export function recognizeBinary(head: Buffer): BinaryFormat | undefined {
  const known = SIGNATURES.find(({ bytes, offset = 0 }) => head.subarray(offset, offset + bytes.length).equals(bytes));
  if (known !== undefined) return known;
  if (
    /^BZh[1-9]/.test(head.toString('latin1', 0, 4)) &&
    BZIP2_BLOCKS.some((block) => head.subarray(4, 10).equals(block))
  )
    return { name: 'a bzip2 file', compression: 'bzip2', readBy: DECOMPRESS };
  if (head[0] === 0x78 && ZLIB.includes(head[1] as number) && inflates(head))
    return { name: 'a zlib file', readBy: DECOMPRESS };
  // A text may begin with these letters, but has no control characters there.
  const start = head.toString('latin1', 0, 4);
  const hasControls = head.subarray(4, 64).some((byte) => byte < 9);
  if (start === 'PAR1' && hasControls)
    return { name: 'a Parquet file', readBy: 'Read it with ParquetConnector of @headrace/parquet.' };
  if (start.startsWith('ORC') && hasControls) return { name: 'an ORC file', readBy: CONVERT };
  return undefined;
}

function inflates(head: Buffer): boolean {
  try {
    return inflateSync(head, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: 1 << 20 }).length > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  }
}
