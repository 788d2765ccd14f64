import { createHash } from 'node:crypto';

/** Returns a short hash of plain data, which may contain secrets. Different data has a different hash. */
export function fingerprint(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('base64url');
}
