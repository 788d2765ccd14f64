import type { FileHandle } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import type { ByteSource } from '../../formats/byte-source.ts';
import { open } from '../../local-files/local-files.ts';
import { nanosOf } from '../storage.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { BlockFile } from './block-file.ts';
import { inflated } from './decompress.ts';
import { nothingIn } from './packed-input.ts';

const STORED = 0;
const DEFLATED = 8;
const UTF8_NAME = 1 << 11;
/** Who packed an entry says what its attributes mean; of Unix they hold its mode. */
const UNIX = 3;
const FILE_TYPE = 0o170000;
const SYMLINK = 0o120000;
/** The bytes before the content of an entry: a signature, and the lengths of a name and of further fields. */
const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** The signature at the start of each entry in the central directory. */
const DIRECTORY_SIGNATURE = Buffer.from('PK\x01\x02', 'latin1');
/** Entries up to this size are read and unpacked in one go. */
const SMALL_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;
/** The least that zlib takes. */
const MIN_CHUNK_BYTES = 64;

/** The files in a zip archive of this machine, as `zipEntries` gives them. */
export async function* localZipEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const file = await open(path, 'r');
  try {
    yield* zipEntries(file);
  } finally {
    await file.close();
  }
}

/**
 * The files in a zip archive, in the order of its directory; folders are left out. Ends with an error if the directory
 * cannot be read. A damaged entry fails when it is read, and does not affect the others.
 *
 * @param file the archive, which stays open: its directory is at its end
 */
export async function* zipEntries(file: FileHandle): AsyncGenerator<ArchiveEntry> {
  const { fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader } = await import('yauzl');
  const directory = new BlockFile(file);
  /** After what was read last of the directory. */
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
          done(bytes.length < length ? new Error('the archive is cut off') : null);
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
  // Names are decoded here: they may be anything, and are never places to write to.
  const zip = await fromRandomAccessReaderPromise(new DirectoryReader(), size, {
    lazyEntries: true,
    decodeStrings: false,
  });
  const contents = new BlockFile(file);
  for await (const entry of zip.eachEntry()) {
    // Some programs count to 65,535 and start again: the stored number counts.
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
  return `it is compressed by method ${compressionMethod}, which is not known here`;
}

async function* readEntry(entry: Entry, file: FileHandle, contents: BlockFile): ByteSource {
  const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize, compressionMethod } = entry;
  const header = await contents.read(start, LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw new Error('it is not at the place in the directory of the archive');
  }
  const dataStart = start + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (compressedSize <= SMALL_BYTES && uncompressedSize <= SMALL_BYTES) {
    const packed = await contents.read(dataStart, compressedSize);
    if (packed.length < compressedSize) throw new Error('it is cut off');
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
    // What the directory promises is all there may be, however much there is.
    if (size > uncompressedSize) break;
    sum = crc32(piece, sum);
    yield piece;
  }
  checkEntry(entry, size, sum);
}

/** Memory for the content and not much more: small contents are many. One byte stays free, or more would be asked for. */
function unpackOptions(size: number): { maxOutputLength: number; chunkSize: number } {
  return { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES) };
}

async function* readRange(file: FileHandle, start: number, length: number): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, length - done), start + done);
    if (bytesRead === 0) throw new Error('it is cut off');
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function checkEntry(entry: Entry, size: number, sum: number): void {
  if (size !== entry.uncompressedSize) throw new Error('it has another size than the directory of the archive says');
  if (sum !== entry.crc32) throw new Error('it is damaged: its checksum is wrong');
}
