import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HttpError } from './http-error.ts';
import { safeUrl } from './safe-url.ts';

/** The encodings that `decoded` reads, for an `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The body without its content encodings; one that is not known stays as it is. */
export function decoded(body: Readable, contentEncoding: string | undefined): Readable {
  if (contentEncoding === undefined) return body;
  // Applied in their order, so taken off from the last.
  return contentEncoding.toLowerCase().split(',').reverse().reduce(withoutEncoding, body);
}

function withoutEncoding(body: Readable, encoding: string): Readable {
  const decoder = decoderOf(encoding.trim());
  if (decoder === undefined) return body;
  // An error destroys the decoder, whose reader hears of it.
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

/** How much of a body is read, and what happens with a longer one: the request fails, or the rest is left. */
export interface BodyLimit {
  readonly bytes: number;
  readonly oversize: 'fail' | 'cut';
}

/** Reads a body to its end or to the limit, beyond which nothing is downloaded. */
export async function readBody(
  body: Readable,
  { bytes, oversize }: BodyLimit,
  url: string,
): Promise<{ body: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bytes) {
      chunks.push(chunk);
      continue;
    }
    if (oversize === 'fail') {
      throw new HttpError(
        'size',
        `The answer of ${safeUrl(url)} is longer than ${bytes} bytes, which is the limit here`,
      );
    }
    chunks.push(chunk.subarray(0, chunk.length - (length - bytes)));
    return { body: Buffer.concat(chunks), cut: true };
  }
  return { body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), cut: false };
}
