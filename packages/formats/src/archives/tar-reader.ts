import { pipeline, Readable } from 'node:stream';
import type { Header } from 'tar-stream';
import type { ArchiveEntry } from './archive-entry.ts';
import type { ByteSource } from './byte-source.ts';
import { nanosOf } from './nanos.ts';
import { nothingIn, TruncatedError } from './packed-input.ts';

const BLOCK_BYTES = 512;
/**
 * Also accepts archives from before the tar standard: other files are detected by the checksums. The types lack this
 * option.
 */
const LENIENT: object = { allowUnknownFormat: true };
/** The prefix of the attributes that GNU tar adds to sparse files. */
const SPARSE = 'GNU.sparse.';

/**
 * Returns the files in a tar archive, in order, in one pass, without folders. Fails if the archive is truncated or of
 * another format.
 *
 * @param onNoEnd called if the archive ends after an entry, without the end-of-archive marker
 */
export async function* tarEntries(
  source: ByteSource,
  onNoEnd: () => void = () => undefined,
): AsyncGenerator<ArchiveEntry> {
  const { extract } = await import('tar-stream');
  const archive = extract(LENIENT);
  let last: Buffer = Buffer.alloc(0);
  const copies = async function* () {
    let size = 0;
    for await (const piece of source) {
      // The source may reuse the buffer of a chunk while this chunk still waits.
      const copy = Buffer.from(piece);
      size += copy.length;
      last = copy.length < BLOCK_BYTES ? Buffer.concat([last, copy]).subarray(-BLOCK_BYTES) : copy;
      yield copy;
    }
    if (size === 0) throw nothingIn();
  };
  pipeline(Readable.from(copies(), { objectMode: false }), archive, () => undefined);
  for await (const entry of untilTruncated(archive)) {
    const { name, size = 0, mtime } = entry.header;
    if (!isFolder(entry.header)) {
      yield {
        name,
        size,
        modified: nanosOf(mtime),
        unreadable: unreadable(entry.header),
        bytes: untilTruncated(withoutClosing(entry as AsyncIterable<Uint8Array>)),
      };
    }
    // A skipped or partly read entry must be drained, or the archive would not continue.
    entry.resume();
  }
  if (last.subarray(-BLOCK_BYTES).some((byte) => byte !== 0)) onNoEnd();
}

/** Yields what a stream of the archive yields. Throws `TruncatedError` if the archive ends too early. */
async function* untilTruncated<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* stream;
  } catch (error) {
    // tar-stream reports it by this text.
    throw error instanceof Error && error.message === 'Unexpected end of data' ? new TruncatedError() : error;
  }
}

/** GNU tar adds folder lists for its internal use: they have the name of a folder and an unknown type. */
function isFolder({ type, name }: Header): boolean {
  return type === 'directory' || (type === null && name.endsWith('/'));
}

function unreadable({ type, size = 0, linkname, pax }: Header): string | undefined {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith(SPARSE))) {
    return 'it is a sparse file, which is not supported';
  }
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return undefined;
    case 'link':
      // Archives may store the content again under the second name, but few do.
      if (size > 0) return undefined;
      return `it is a hard link to ${linkname}: the archive contains the content only under that name (create it with tar --hard-dereference to store both)`;
    case 'symlink':
      return `it is a link to ${linkname}, and links in archives are not followed`;
    case null:
    case undefined:
      return 'its entry type is not supported';
    default:
      return 'it is not a regular file';
  }
}

/** Yields the chunks of a stream without destroying it when the reader stops early, as `for await` would do. */
async function* withoutClosing(stream: AsyncIterable<Uint8Array>): ByteSource {
  const pieces = stream[Symbol.asyncIterator]();
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}
