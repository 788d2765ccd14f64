import { crc32, inflateRawSync } from 'node:zlib';
import yauzl from 'yauzl';
import { EncryptedFile, type ExpansionBudget } from './format.ts';

/** An entry of a zip file. */
export interface ZipEntry {
  readonly name: string;
  read(): Promise<Buffer>;
}

/** The record at the end of a zip file, its size without the comment, and where the length of the comment is in it. */
const END_SIGN = Buffer.from('PK\x05\x06', 'latin1');
const END_BYTES = 22;
const COMMENT_LENGTH = 20;
/** The compression method of an entry that is not compressed. */
const STORED = 0;
/** The sizes of the buffers for inflated bytes. */
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Returns the files of a zip file, in order. Folders are omitted. */
export function readZip(bytes: Uint8Array, budget: ExpansionBudget): Promise<ZipEntry[]> {
  const buffer = withoutTrailingBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(buffer, { lazyEntries: true, validateEntrySizes: true }, (error, file) => {
      if (error !== null || file === undefined) {
        reject(error ?? new Error('it is not a zip file'));
        return;
      }
      const entries: ZipEntry[] = [];
      file.on('entry', (entry: yauzl.Entry) => {
        if (!entry.fileName.endsWith('/')) {
          entries.push({ name: entry.fileName, read: () => readEntry(file, buffer, entry, budget) });
        }
        file.readEntry();
      });
      file.on('end', () => resolve(entries));
      file.on('error', reject);
      file.readEntry();
    });
  });
}

/** Returns a zip file without what follows its end, which some mail programs and downloads add. */
function withoutTrailingBytes(buffer: Buffer): Buffer {
  const end = buffer.lastIndexOf(END_SIGN);
  if (end < 0 || end + END_BYTES > buffer.length) return buffer;
  return buffer.subarray(0, end + END_BYTES + buffer.readUInt16LE(end + COMMENT_LENGTH));
}

/**
 * Reads an entry in one call. The file is in memory and its thread does nothing else, and a stream for each entry needs
 * more time than the work on a small entry.
 */
async function readEntry(
  file: yauzl.ZipFile,
  buffer: Buffer,
  entry: yauzl.Entry,
  budget: ExpansionBudget,
): Promise<Buffer> {
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw new EncryptedFile([]);
  if (!entry.canDecodeFileData()) throw new Error(`unsupported compression method: ${entry.compressionMethod}`);
  const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
  const stored = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
  budget.take(entry.uncompressedSize);
  const content = entry.compressionMethod === STORED ? Buffer.from(stored) : inflate(stored, entry);
  if (content?.length !== entry.uncompressedSize) {
    const difference = content === undefined ? 'more' : 'fewer';
    throw new Error(
      `${entry.fileName} has ${difference} bytes than the ${entry.uncompressedSize} of its directory entry`,
    );
  }
  if (crc32(content) === entry.crc32) return content;
  throw new Error(`${entry.fileName} is damaged: its checksum is wrong. Repair the file, or get another copy`);
}

/** Returns undefined if there are more bytes than expected. */
function inflate(bytes: Buffer, { fileName, uncompressedSize: size }: yauzl.Entry): Buffer | undefined {
  try {
    return inflateRawSync(bytes, {
      maxOutputLength: Math.max(size, 1),
      chunkSize: Math.min(Math.max(size, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new Error(`${fileName} is damaged: ${(error as Error).message}`, { cause: error });
  }
}
