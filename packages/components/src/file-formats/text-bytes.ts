import { HeadraceError, type Logger, messageOf } from '@headrace/engine';
import type { BinaryFormat } from '@headrace/formats/archives';
import type { ByteSource, SourceFile } from './byte-source.ts';
import { collect, resumed } from './read-ahead.ts';

/** The number of bytes that show the format of a file. */
const HEAD_BYTES = 1024;
/** The number of bytes of which all formats but PDF have an unusual one. */
const START_BYTES = 64;
const PDF = Buffer.from('%PDF-');

/**
 * Returns the bytes of a text file. A file that is compressed with gzip, bzip2, xz or zstd is unpacked. Its name does not
 * matter: its first bytes show it.
 *
 * Throws `HR_SOURCE_UNREADABLE` for a file in another format that is no text, and `HR_SOURCE_INCOMPLETE` if the
 * compressed data is damaged or ends too early.
 */
export async function* textBytes(file: SourceFile, log?: Logger): ByteSource {
  const pieces = file.bytes[Symbol.asyncIterator]();
  const head = await headOf(pieces);
  const format = mayBeBinary(head) ? (await archives()).recognizeBinary(head) : undefined;
  if (format === undefined) yield* resumed(head, pieces);
  else if (format.compression === undefined) {
    await pieces.return?.();
    throw refused(file.path, format);
  } else yield* unpackedText(file, format.compression, resumed(head, pieces), log);
}

/** Loads what few files need. */
const archives = () => import('@headrace/formats/archives');

/** Returns whether a file may be no text: it begins with an unusual byte, as all other formats but PDF do. */
function mayBeBinary(head: Buffer): boolean {
  const isUnusual = (byte: number) => byte < 9 || (byte > 13 && byte < 32) || byte > 126;
  return head.subarray(0, START_BYTES).some(isUnusual) || head.subarray(0, PDF.length).equals(PDF);
}

async function* unpackedText(
  file: SourceFile,
  compression: NonNullable<BinaryFormat['compression']>,
  source: ByteSource,
  log: Logger | undefined,
): ByteSource {
  const { path, budget } = file;
  const onRest = () => log?.warn(`${path}: the bytes after the compressed data are ignored. The file may be damaged`);
  const failure: { error?: unknown } = {};
  const { recognizeBinary, unpacked } = await archives();
  const content = unpacked(compression, watched(source, failure), onRest);
  const pieces = (budget === undefined ? content : budget.spentBy(content))[Symbol.asyncIterator]();
  try {
    const head = await headOf(pieces);
    const inner = recognizeBinary(head);
    if (inner !== undefined) throw refused(`${path}, unpacked,`, inner);
    yield* resumed(head, pieces);
  } catch (error) {
    if (error instanceof HeadraceError || error === failure.error) throw error;
    throw new HeadraceError('HR_SOURCE_INCOMPLETE', `${path}: ${messageOf(error)}: the rest of the file was not read`, {
      cause: error,
    });
  } finally {
    await pieces.return?.();
  }
}

async function headOf(pieces: AsyncIterator<Uint8Array>): Promise<Buffer> {
  try {
    return await collect(pieces, Buffer.alloc(0), HEAD_BYTES);
  } catch (error) {
    await pieces.return?.();
    throw error;
  }
}

/** Returns the same bytes, and keeps the error of the source: it is not an error of the compressed data. */
async function* watched(source: ByteSource, failure: { error?: unknown }): ByteSource {
  try {
    yield* source;
  } catch (error) {
    failure.error = error;
    throw error;
  }
}

function refused(what: string, { name, readBy }: BinaryFormat): HeadraceError {
  return new HeadraceError('HR_SOURCE_UNREADABLE', `${what} is ${name}, not a text`, { hint: readBy });
}
