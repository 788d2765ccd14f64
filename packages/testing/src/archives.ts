import { crc32, deflateRawSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface ZipFixture {
  readonly name: string | Buffer;
  readonly content: string | Uint8Array;
  /** The compression method: 0 stored, 8 deflated; the content of other methods is stored uncompressed. */
  readonly method?: number;
  readonly flags?: number;
  /** A wrong value for the headers, instead of the true one. */
  readonly size?: number;
  readonly crc?: number;
  /** The Unix mode with the file type. Without a mode, the entry is marked as created by DOS. */
  readonly mode?: number;
}

/** The date 2022-03-04T05:06:08 in the DOS format. */
const DOS_DATE = ((2022 - 1980) << 9) | (3 << 5) | 4;
const DOS_TIME = (5 << 11) | (6 << 5) | 4;

/** Creates a zip archive, with the errors that the fixtures describe. */
export function zipOf(entries: readonly ZipFixture[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, flags = 0, size, crc, mode } of entries) {
    const bytes = Buffer.from(content as string);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const raw = Buffer.from(name as string);
    const common = Buffer.alloc(26);
    for (const [at, value] of [
      [0, 20],
      [2, flags],
      [4, method],
      [6, DOS_TIME],
      [8, DOS_DATE],
    ] as const) {
      common.writeUInt16LE(value, at);
    }
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(raw.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, raw, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((mode ?? 0) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const start = Buffer.from(`PK\x01\x02\x14${mode === undefined ? '\x00' : '\x03'}`, 'latin1');
    directory.push(Buffer.concat([start, common, rest, raw]));
    locals.push(local);
    offset += local.length;
  }
  const entriesBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(entriesBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, entriesBytes, end]);
}

/** Creates a tar archive. */
export async function tarOf(
  entries: readonly (Partial<Header> & { name: string; content?: string | Buffer })[],
): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) {
    archive.entry({ mtime: new Date('2022-03-04T05:06:07Z'), ...header }, content);
  }
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}
