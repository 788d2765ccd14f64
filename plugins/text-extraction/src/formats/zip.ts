import yauzl from 'yauzl';
import { EncryptedFile, type ExpansionBudget } from './format.ts';

/** An entry of a zip file. */
export interface ZipEntry {
  readonly name: string;
  read(): Promise<Buffer>;
}

/** Returns the files of a zip file, in order. Folders are omitted. */
export function readZip(bytes: Uint8Array, budget: ExpansionBudget): Promise<ZipEntry[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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
