import { createHash } from 'node:crypto';

/**
 * Returns the UUID of a document id, as Lucille computes it: version 3 over the MD5 of the UTF-8 bytes, without a
 * namespace. With another UUID, a second run would write every document again.
 */
export function uuidOf(id: string): string {
  const bytes = createHash('md5').update(id, 'utf8').digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x30;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
