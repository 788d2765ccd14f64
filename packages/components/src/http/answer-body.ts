import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { MemoryHold } from '@headrace/engine';
import { HttpError } from './http-error.ts';
import { safeUrl } from './safe-url.ts';

/** The encodings that `decoded` supports, for an `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** Returns the body without its content encodings. An unknown encoding stays. */
export function decoded(body: Readable, contentEncoding: string | undefined): Readable {
  if (contentEncoding === undefined) return body;
  // Encodings are listed in the order in which they were applied, so the last one is removed first.
  return contentEncoding.toLowerCase().split(',').reverse().reduce(withoutEncoding, body);
}

function withoutEncoding(body: Readable, encoding: string): Readable {
  const decoder = decoderOf(encoding.trim());
  if (decoder === undefined) return body;
  // An error destroys the decoder, so its reader gets the error.
  pipeline(body, decoder, () => undefined);
  return decoder;
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
  }
  return undefined;
}

/** The maximum size of a body, and whether a longer body fails the request or is cut off. */
export interface BodyLimit {
  readonly bytes: number;
  readonly oversize: 'fail' | 'cut';
}

/** Returns the error for a body above the limit. */
export function tooLong({ bytes }: Pick<BodyLimit, 'bytes'>, url: string): HttpError {
  return new HttpError(
    'size',
    `The response of ${safeUrl(url)} is longer than ${bytes} bytes, the limit of this request`,
  );
}

/**
 * Reads a body up to its end or to the limit. Data beyond the limit is not downloaded.
 * @param memory counts the body; nothing more is read while there is not enough
 */
export async function readBody(
  body: Readable,
  { bytes, oversize }: BodyLimit,
  url: string,
  memory?: MemoryHold,
): Promise<{ body: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bytes) {
      await memory?.take(chunk.length);
      chunks.push(chunk);
      continue;
    }
    if (oversize === 'fail') throw tooLong({ bytes }, url);
    chunks.push(chunk.subarray(0, chunk.length - (length - bytes)));
    return { body: Buffer.concat(chunks), cut: true };
  }
  return { body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), cut: false };
}
