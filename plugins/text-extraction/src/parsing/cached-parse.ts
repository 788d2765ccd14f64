import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { GuardedCache } from 'headrace/storage';
import type { ParsedFile, ParseRequest } from './parse-message.ts';

/** Returns a text that identifies the readers of this package: a new version may extract more. */
export function readersIdentity(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return `headrace ${version}`;
}

/**
 * Returns the content of a file from the cache. If it is missing, parses the file and stores it. A file that exceeds a
 * limit is not stored.
 * @param reader identifies what parses the file, with its version
 */
export async function cachedParse(
  cache: GuardedCache | undefined,
  reader: string,
  request: ParseRequest,
  parse: (request: ParseRequest) => Promise<ParsedFile>,
): Promise<ParsedFile> {
  if (cache === undefined) return parse(request);
  const { bytes, ...others } = request;
  const parameters = Object.entries(others).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const key = `file ${hash('sha256', JSON.stringify([reader, hash('sha256', bytes), parameters]), 'base64url')}`;
  const found = readParsed(await cache.get(key));
  cache.count(found !== undefined);
  if (found !== undefined) return found;
  const parsed = await parse(request);
  await cache.put(key, serialize(parsed));
  return parsed;
}

function readParsed(stored: Uint8Array | undefined): ParsedFile | undefined {
  if (stored === undefined) return undefined;
  try {
    return deserialize(stored) as ParsedFile;
  } catch {
    // The entry is damaged, or a newer Node has written it. The next result replaces it.
    return undefined;
  }
}
