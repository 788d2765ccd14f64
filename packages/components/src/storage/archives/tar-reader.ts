import { pipeline, Readable } from 'node:stream';
import type { ByteSource } from '../../formats/byte-source.ts';
import type { ArchiveEntry } from './archive-entry.ts';

/**
 * The files in a tar archive, in order, in one pass. Folders, links and devices are left out. Ends with an error when
 * the archive is cut off or is none.
 */
export async function* tarEntries(source: ByteSource): AsyncGenerator<ArchiveEntry> {
  const { extract } = await import('tar-stream');
  const archive = extract();
  const copies = async function* () {
    // The source may use the memory of a piece again, while this one still waits.
    for await (const piece of source) yield Buffer.from(piece);
  };
  pipeline(Readable.from(copies(), { objectMode: false }), archive, () => undefined);
  for await (const entry of archive) {
    const { name, size = 0, mtime, type } = entry.header;
    if (type === 'file' || type === 'contiguous-file') {
      yield {
        name,
        size,
        modified: BigInt(mtime?.getTime() ?? 0) * 1_000_000n,
        unreadable: undefined,
        bytes: withoutClosing(entry as AsyncIterable<Uint8Array>),
      };
    }
    // Leaving an entry unread, or in its middle, must not end the archive.
    entry.resume();
  }
}

/** The pieces of a stream; it is not destroyed when its reader leaves early, as `for await` would do. */
async function* withoutClosing(stream: AsyncIterable<Uint8Array>): ByteSource {
  const pieces = stream[Symbol.asyncIterator]();
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}
