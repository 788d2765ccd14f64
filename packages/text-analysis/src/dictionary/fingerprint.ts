import { createHash } from 'node:crypto';

/** A short name for plain data, which may hold secrets: other data has another one. */
export function fingerprint(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('base64url');
}
