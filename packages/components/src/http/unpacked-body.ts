import { Readable } from 'node:stream';
import type { MemoryHold } from '@headrace/engine';
import { recognizeBinary, unpacked } from '@headrace/formats/archives';
import { type BodyLimit, readBody } from './answer-body.ts';

/** The number of bytes that show the format of a body. */
const HEAD_BYTES = 1024;
/** A compressed file whose name says that it has a text, such as sitemap.xml.gz. */
const PACKED_TEXT = /\.(?:xml|txt|csv|tsv|json|jsonl|ndjson|geojson|html?|rss|atom|rdf|md)\.(?:gz|bz2|xz|zst)$/i;
const TEXT_TYPE = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:xml|json)\b)/i;

/** Returns whether an answer should be a text, by the name of the file or its content type. */
export function isTextAnswer(url: string, contentType: string | undefined): boolean {
  return TEXT_TYPE.test(contentType ?? '') || (URL.canParse(url) && PACKED_TEXT.test(new URL(url).pathname));
}

/**
 * Returns the content of a body that is a file compressed with gzip, bzip2, xz or zstd. Returns every other body
 * unchanged. Throws an error if the compressed data is damaged or unpacks to far more than its size, and an `HttpError`
 * for a content above the limit.
 *
 * @param memory counts the content; nothing more is unpacked while there is not enough
 */
export async function unpackedBody(
  body: Uint8Array,
  limit: BodyLimit,
  url: string,
  memory?: MemoryHold,
): Promise<Uint8Array> {
  const compression = recognizeBinary(
    Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES)),
  )?.compression;
  if (compression === undefined) return body;
  async function* packed(): AsyncGenerator<Uint8Array> {
    yield body;
  }
  return (await readBody(Readable.from(unpacked(compression, packed())), limit, url, memory)).body;
}
