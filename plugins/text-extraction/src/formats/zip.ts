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
          entries.push({ name: entry.fileName, read: () => readEntry(file, entry, budget) });
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

function readEntry(file: yauzl.ZipFile, entry: yauzl.Entry, budget: ExpansionBudget): Promise<Buffer> {
  if ((entry.generalPurposeBitFlag & 1) !== 0) return Promise.reject(new EncryptedFile());
  return new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => {
      if (error !== null || stream === undefined) {
        reject(error ?? new Error(`${entry.fileName} cannot be read`));
        return;
      }
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => {
        try {
          budget.take(piece.length);
          pieces.push(piece);
        } catch (tooMuch) {
          stream.destroy(tooMuch as Error);
        }
      });
      stream.on('end', () => resolve(Buffer.concat(pieces)));
      stream.on('error', reject);
    });
  });
}
