import type { ByteSource } from './byte-source.ts';
import { nothingIn, type PackedInput, TruncatedError } from './packed-input.ts';

/** The library gets its input in parts of this size, and may have read one of them too far. */
const PART_BYTES = 16 * 1024;
export const XZ_MAGIC = Buffer.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00);
/** The last bytes of a stream. */
const FOOTER = Buffer.from('YZ');

/** Returns the unpacked content of an xz file with all its streams. Fails if the file is truncated or damaged. */
export async function* unxz(input: PackedInput): ByteSource {
  if ((await input.peek(1)).length === 0) throw nothingIn();
  const { XzReadableStream } = await import('xz-decompress');
  // The library allows one stream at a time, and a file inside another file would wait for it forever. Contexts are
  // separate, so nothing needs the lock.
  Object.assign(XzReadableStream, { _contextMutex: { acquire: async () => undefined, release: () => undefined } });
  do {
    let part: Buffer = Buffer.alloc(0);
    let isCut = false;
    const packed = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          part = await input.peek(PART_BYTES);
          isCut = part.length === 0;
          if (isCut) controller.close();
          else controller.enqueue(Uint8Array.from(await input.take(part.length)));
        },
      },
      { highWaterMark: 0 },
    );
    try {
      for await (const piece of new XzReadableStream(packed)) if (piece.length > 0) yield piece;
    } catch (error) {
      if (isCut) throw new TruncatedError();
      throw new Error('it is damaged, or not compressed with xz', { cause: error });
    }
    await unreadNextStream(input, part);
  } while ((await input.peek(1)).length > 0);
}

/** Puts back the next stream, which begins in the last part or after it. Padding and other bytes are no data. */
async function unreadNextStream(input: PackedInput, part: Buffer): Promise<void> {
  const bytes = Buffer.concat([part, await input.peek(PART_BYTES)]);
  for (let at = bytes.indexOf(FOOTER); at >= 0; at = bytes.indexOf(FOOTER, at + 1)) {
    let next = at + FOOTER.length;
    while (bytes[next] === 0) next++;
    if (!bytes.subarray(next).subarray(0, XZ_MAGIC.length).equals(XZ_MAGIC)) continue;
    const ahead = bytes.length - part.length;
    await input.take(ahead);
    input.unread(bytes.subarray(next));
    return;
  }
  while ((await input.next()) !== undefined);
}
