import type { FileHandle } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import type { ArchiveEntry } from './archive-entry.ts';
import { BlockFile } from './block-file.ts';
import type { ByteSource } from './byte-source.ts';
import { inflated } from './gzip.ts';
import { nanosOf } from './nanos.ts';
import { nothingIn } from './packed-input.ts';

const STORED = 0;
const DEFLATED = 8;
const UTF8_NAME = 1 << 11;
/** The system that created an entry defines its attributes. With Unix, they contain the file mode. */
const UNIX = 3;
const FILE_TYPE = 0o170000;
const SYMLINK = 0o120000;
/** The size of the header before the content: a signature, and the lengths of the name and of the extra fields. */
const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** The signature at the start of each entry in the central directory. */
const DIRECTORY_SIGNATURE = Buffer.from('PK\x01\x02', 'latin1');
/** Entries up to this size are read and unpacked synchronously. */
const SMALL_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;
/** The minimum chunk size of zlib. */
const MIN_CHUNK_BYTES = 64;

/**
 * Returns the files in a zip archive, in the order of its directory, without folders. Fails if the directory cannot be
 * read. A damaged entry fails when it is read, and does not affect the others.
 *
 * @param file the archive, which the caller closes; the directory is at its end
 */
export async function* zipEntries(file: FileHandle): AsyncGenerator<ArchiveEntry> {
  const { fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } = await import('yauzl');
  const directory = new BlockFile(file);
  /** The position after the last read from the directory. */
  let end = 0;
  class DirectoryReader extends RandomAccessReader {
    override read(
      target: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null) => void,
    ) {
      directory.read(position, length).then(
        (bytes) => {
          bytes.copy(target, offset);
          end = position + length;
          done(bytes.length < length ? new Error('the archive is truncated') : null);
        },
        (error) => done(error),
      );
    }

    override _readStreamForRange(): never {
      throw new Error('contents are not read by this reader');
    }
  }
  const { size } = await file.stat();
  if (size === 0) throw nothingIn();
  // Names are decoded below: they may contain any bytes, and are never paths to write to.
  const zip = await fromRandomAccessReaderPromise(new DirectoryReader(), size, {
    lazyEntries: true,
    decodeStrings: false,
  });
  const contents = new BlockFile(file);
  for await (const entry of zip.eachEntry()) {
    // Some programs store the entry count modulo 65,536: another entry in the directory means that the count is too
    // low.
    if (zip.entriesRead === zip.entryCount && (await directory.read(end, 4)).equals(DIRECTORY_SIGNATURE)) {
      zip.entryCount++;
    }
    const raw = entry.fileName as unknown as Buffer;
    const utf8 = (entry.generalPurposeBitFlag & UTF8_NAME) !== 0 || isUtf8(raw);
    const flags = entry.generalPurposeBitFlag | (utf8 ? UTF8_NAME : 0);
    const name = getFileNameLowLevel(flags, raw, entry.extraFields, false);
    if (name.endsWith('/')) continue;
    yield {
      name,
      size: entry.uncompressedSize,
      modified: nanosOf(entry.getLastModDate()),
      unreadable: unreadable(entry),
      bytes: readEntry(entry, file, contents),
    };
  }
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}

function unreadable(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'it is encrypted';
  const { compressionMethod, externalFileAttributes, versionMadeBy } = entry;
  const isSymlink = versionMadeBy >>> 8 === UNIX && ((externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK;
  if (isSymlink) return 'it is a link, and links in archives are not followed';
  if (compressionMethod === STORED || compressionMethod === DEFLATED) return undefined;
  return `it uses compression method ${compressionMethod}, which is not supported`;
}

async function* readEntry(entry: Entry, file: FileHandle, contents: BlockFile): ByteSource {
  const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize, compressionMethod } = entry;
  const header = await contents.read(start, LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw new Error('it is not at the position that the directory of the archive contains');
  }
  const dataStart = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (compressedSize <= SMALL_BYTES && uncompressedSize <= SMALL_BYTES) {
    const packed = await contents.read(dataStart, compressedSize);
    if (packed.length < compressedSize) throw new Error('it is truncated');
    const whole = compressionMethod === STORED ? packed : inflateRawSync(packed, unpackOptions(uncompressedSize));
    checkEntry(entry, whole.length, crc32(whole));
    if (whole.length > 0) yield whole;
    return;
  }
  const packed = readRange(file, dataStart, compressedSize);
  let size = 0;
  let sum = 0;
  for await (const piece of compressionMethod === STORED ? packed : inflated(packed)) {
    size += piece.length;
    // The size in the directory is the limit, even if more data follows.
    if (size > uncompressedSize) break;
    sum = crc32(piece, sum);
    yield piece;
  }
  checkEntry(entry, size, sum);
}

/**
 * Allocates only a little more than the content, because small entries are frequent. zlib allocates another chunk if
 * the first one is full, so one byte stays free.
 */
function unpackOptions(size: number): { maxOutputLength: number; chunkSize: number } {
  return { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES) };
}

async function* readRange(file: FileHandle, start: number, length: number): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, length - done), start + done);
    if (bytesRead === 0) throw new Error('it is truncated');
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function checkEntry(entry: Entry, size: number, sum: number): void {
  if (size !== entry.uncompressedSize) throw new Error('its size differs from the directory of the archive');
  if (sum !== entry.crc32) throw new Error('it is damaged: its checksum is wrong');
}
