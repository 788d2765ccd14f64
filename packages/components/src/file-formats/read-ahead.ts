import type { ByteSource } from './byte-source.ts';

/** Reads bytes until there are `enough` or the source ends. Returns a copy, because the source may reuse its memory. */
export async function collect(pieces: AsyncIterator<Uint8Array>, first: Buffer, enough: number): Promise<Buffer> {
  let bytes = first;
  while (bytes.length < enough) {
    const next = await pieces.next();
    if (next.done === true) break;
    bytes = Buffer.concat([bytes, next.value]);
  }
  return bytes;
}

/** Returns the rest of a source. */
export async function* rest(pieces: AsyncIterator<Uint8Array>): ByteSource {
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}

/** Returns a source whose first bytes were already read. */
export async function* resumed(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): ByteSource {
  try {
    yield head;
    yield* rest(pieces);
  } finally {
    await pieces.return?.();
  }
}
