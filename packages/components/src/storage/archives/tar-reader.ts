import { pipeline, Readable } from 'node:stream';
import type { Header } from 'tar-stream';
import type { ByteSource } from '../../formats/byte-source.ts';
import { nanosOf } from '../storage.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { nothingIn } from './packed-input.ts';

const BLOCK_BYTES = 512;
/** Takes archives of before the standard, too: what is none is found by its checksums. The types do not know of it. */
const LENIENT: object = { allowUnknownFormat: true };
/** How the attributes of a file begin whose holes were left out by GNU tar. */
const SPARSE = 'GNU.sparse.';

/**
 * The files in a tar archive, in order, in one pass; folders are left out. Ends with an error when the archive is cut
 * off or is none.
 *
 * @param onNoEnd the archive ends after an entry, without the mark of its end
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
      // The source may use the memory of a piece again, while this one still waits.
      const copy = Buffer.from(piece);
      size += copy.length;
      last = copy.length < BLOCK_BYTES ? Buffer.concat([last, copy]).subarray(-BLOCK_BYTES) : copy;
      yield copy;
    }
    if (size === 0) throw nothingIn();
  };
  pipeline(Readable.from(copies(), { objectMode: false }), archive, () => undefined);
  for await (const entry of archive) {
    const { name, size = 0, mtime } = entry.header;
    if (!isFolder(entry.header)) {
      yield {
        name,
        size,
        modified: nanosOf(mtime),
        unreadable: unreadable(entry.header),
        bytes: withoutClosing(entry as AsyncIterable<Uint8Array>),
      };
    }
    // Leaving an entry unread, or in its middle, must not end the archive.
    entry.resume();
  }
  if (last.subarray(-BLOCK_BYTES).some((byte) => byte !== 0)) onNoEnd();
}

/** The lists that GNU tar makes of folders for its own use have the name of one, and a type that is not known. */
function isFolder({ type, name }: Header): boolean {
  return type === 'directory' || (type === null && name.endsWith('/'));
}

function unreadable({ type, size = 0, linkname, pax }: Header): string | undefined {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith(SPARSE))) {
    return 'it is packed as a sparse file, which is not known here';
  }
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return undefined;
    case 'link':
      // Archives that hold the content once more are allowed, and rare.
      if (size > 0) return undefined;
      return `it is a hard link to ${linkname}: the archive holds its content under that name only (tar --hard-dereference packs it twice)`;
    case 'symlink':
      return `it is a link to ${linkname}, and links in archives are not followed`;
    case null:
    case undefined:
      return 'it is of a kind that is not known here';
    default:
      return 'it is not a regular file';
  }
}

/** The pieces of a stream; it is not destroyed when its reader leaves early, as `for await` would do. */
async function* withoutClosing(stream: AsyncIterable<Uint8Array>): ByteSource {
  const pieces = stream[Symbol.asyncIterator]();
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}
