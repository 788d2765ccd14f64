import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

const WRITE_BYTES = 1024 * 1024;
const DEFLATED = 8;
const UTF8_NAME = 1 << 11;
/** 1 January 2024 in the date format of zip archives. */
const DAY = ((2024 - 1980) << 9) | (1 << 5) | 1;

/** Packs a file as gzip and as zip. Both contain the same deflate stream, so that readers do the same work. */
export function packFile(path, name) {
  const gzip = gzipSync(readFileSync(path));
  writeFileSync(`${path}.gz`, gzip);
  // A gzip file consists of a 10-byte header, the stream, its checksum and its size.
  const end = gzip.length - 8;
  const entry = { name, packed: gzip.subarray(10, end), sum: gzip.readUInt32LE(end), size: gzip.readUInt32LE(end + 4) };
  writeZip(`${path}.zip`, [entry]);
}

/** Writes an archive of many small text files, 200 bytes each. */
export function writeManyEntries(path, count) {
  const contents = Array.from({ length: 1000 }, (_, i) => {
    const content = Buffer.from(`entry ${i} of an archive with many of them `.repeat(5).padEnd(200, 'x').slice(0, 200));
    return { packed: deflateRawSync(content), sum: crc32(content), size: content.length };
  });
  const entries = function* () {
    for (let i = 0; i < count; i++) yield { name: `folder-${i % 100}/file-${i}.txt`, ...contents[i % contents.length] };
  };
  writeZip(path, entries());
}

/** Writes a zip archive with ZIP64 numbers at its end, because it may have more than 65,535 entries. */
function writeZip(path, entries) {
  const file = openSync(path, 'w');
  const directory = [];
  let waiting = [];
  let waitingBytes = 0;
  let at = 0;
  const write = (...pieces) => {
    for (const piece of pieces) {
      waiting.push(piece);
      waitingBytes += piece.length;
      at += piece.length;
    }
    if (waitingBytes < WRITE_BYTES) return;
    writeSync(file, Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  for (const { name, packed, sum, size } of entries) {
    const title = Buffer.from(name);
    const common = numbers(['H', 20], ['H', UTF8_NAME], ['H', DEFLATED], ['H', 0], ['H', DAY], ['I', sum]);
    const sizes = numbers(['I', packed.length], ['I', size], ['H', title.length], ['H', 0]);
    directory.push(
      Buffer.concat([
        numbers(['I', 0x02014b50], ['H', 20]),
        common,
        sizes,
        numbers(['H', 0], ['H', 0], ['H', 0], ['I', 0], ['I', at]),
        title,
      ]),
    );
    write(numbers(['I', 0x04034b50]), common, sizes, title, packed);
  }
  const start = at;
  for (const entry of directory) write(entry);
  const [count, length, end] = [directory.length, at - start, at];
  write(
    numbers(['I', 0x06064b50], ['Q', 44], ['H', 45], ['H', 45], ['I', 0], ['I', 0]),
    numbers(['Q', count], ['Q', count], ['Q', length], ['Q', start]),
    numbers(['I', 0x07064b50], ['I', 0], ['Q', end], ['I', 1]),
    numbers(['I', 0x06054b50], ['H', 0], ['H', 0], ['H', 0xffff], ['H', 0xffff]),
    numbers(['I', 0xffffffff], ['I', 0xffffffff], ['H', 0]),
  );
  writeSync(file, Buffer.concat(waiting));
  closeSync(file);
}

/** Encodes numbers in sequence, with 2 (H), 4 (I) or 8 bytes (Q), little-endian. */
function numbers(...values) {
  const bytes = Buffer.alloc(values.reduce((sum, [kind]) => sum + { H: 2, I: 4, Q: 8 }[kind], 0));
  let at = 0;
  for (const [kind, value] of values) {
    if (kind === 'H') at = bytes.writeUInt16LE(value, at);
    else if (kind === 'I') at = bytes.writeUInt32LE(value, at);
    else at = bytes.writeBigUInt64LE(BigInt(value), at);
  }
  return bytes;
}
