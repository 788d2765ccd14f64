import { hash } from 'node:crypto';

/** The number of bytes of a hash of the content of a document: the first half of SHA-256. */
export const HASH_BYTES = 16;
/** The number of hexadecimal digits of a hash, before an encoded document. */
export const HASH_DIGITS = HASH_BYTES * 2;

/** The hash of a deletion, which has no content. */
const NO_HASH = '0'.repeat(HASH_DIGITS);
/** The start of a deletion in a bulk request. */
const DELETION = '{"delete":';

/**
 * Returns a function that puts its hash before an encoded document. Pipeline threads do this, because it takes longer
 * than everything else that is done with an unchanged document.
 * @param runId the id of the run, which is in each document and is not part of the hash
 */
export function contentHasher(runId: string): (text: string) => string {
  const member = `"run_id":${JSON.stringify(runId)}`;
  return (text) => {
    if (text.startsWith(DELETION)) return NO_HASH + text;
    const at = text.indexOf(member);
    const content = at < 0 ? text : text.slice(0, at) + text.slice(at + member.length);
    return hash('sha256', content, 'hex').slice(0, HASH_DIGITS) + text;
  };
}

/** Reads the bytes of a hash from its hexadecimal digits. Returns false if there is none. */
export function readHash(digits: Uint8Array, at: number, hashes: Uint8Array, to: number): boolean {
  let any = 0;
  for (let i = 0; i < HASH_BYTES; i++) {
    const byte = (digitOf(digits[at + 2 * i] as number) << 4) | digitOf(digits[at + 2 * i + 1] as number);
    hashes[to + i] = byte;
    any |= byte;
  }
  return any !== 0;
}

/** Returns the value of a digit from its ASCII code: 0 to 9, a to f. */
function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}
