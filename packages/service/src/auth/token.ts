import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'hrt_';
const RANDOM_BYTES = 32;
const FORM = /^sha256:([0-9a-f]{64})$/i;

/** The minimum length of a token. A shorter one could be guessed. */
export const MIN_TOKEN_LENGTH = 32;

/**
 * Creates a token and its hash for the service file. A fast hash (SHA-256) is enough, because 32 random bytes cannot be
 * guessed.
 */
export function newToken(): { token: string; tokenHash: string } {
  const token = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  return { token, tokenHash: `sha256:${tokenDigest(token)}` };
}

/** Returns the SHA-256 of a token in hexadecimal. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the digest in a `tokenHash`, or undefined if the text has another format. */
export function parseTokenHash(text: string): string | undefined {
  return FORM.exec(text)?.[1]?.toLowerCase();
}
