import { parseFile } from '../parsing/parse-file.ts';
import type { ParsedFile, ParseRequest } from '../parsing/parse-message.ts';
import { readOptions } from './read-options.ts';

/** Parses a file in this thread, with its images. */
export function parsed(content: string | Uint8Array, request: Partial<ParseRequest> = {}): Promise<ParsedFile> {
  return parseFile({
    bytes: Buffer.from(content as string),
    name: undefined,
    contentType: undefined,
    format: 'text',
    maxCharacters: 1_000_000,
    maxExpandedBytes: 10_000_000,
    images: true,
    options: readOptions,
    ...request,
  });
}

/** Returns the names, the types and the contents in base64 of the images of a file. */
export async function imagesIn(content: string | Uint8Array): Promise<string[][]> {
  const { images, problem } = await parsed(content);
  if (problem !== undefined) throw new Error(problem.message);
  return images.map(({ name, mediaType, bytes }) => [name, mediaType, Buffer.from(bytes).toString('base64')]);
}
