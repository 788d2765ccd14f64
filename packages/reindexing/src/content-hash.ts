import { hash } from 'node:crypto';

/** The number of bytes of a hash of the content of a document: the first half of SHA-256. */
export const HASH_BYTES = 16;
/** The number of hexadecimal digits of a hash, before an encoded document. */
export const HASH_DIGITS = HASH_BYTES * 2;

/**
 * The `run_id` of documents while they are encoded and hashed: their content is then the same in each run, and nothing
 * must be cut out of their text. The bytes of a document that is sent get its `run_id` again. The digits are random, so
 * that no field of a document has this value by chance.
 */
export const ANY_RUN = 'any-run-5c1e0f7a9d3b4826';
/** The hash of a deletion, which has no content. */
const NO_HASH = '0'.repeat(HASH_DIGITS);
/** The start of a deletion in a bulk request. */
const DELETION = '{"delete":';

/** Returns the rest of the line before an encoded document, after its hash: the `run_id` of the document, if it has one. */
export function runLine(runId: string | undefined): string {
  return runId === undefined ? '\n' : `${JSON.stringify(runId)}\n`;
}

/**
 * Returns an encoded document after a line with its hash. Pipeline threads do this, because the hash takes longer than
 * everything else that is done with an unchanged document.
 * @param text the document with `ANY_RUN`
 */
export function withHash(text: string, line: string): string {
  const digits = text.startsWith(DELETION) ? NO_HASH : hash('sha256', text, 'hex').slice(0, HASH_DIGITS);
  return digits + line + text;
}

/** Returns encoded documents after lines with their hashes. Changes the given list. */
export function withHashes(texts: string[], runIds: readonly unknown[]): string[] {
  // All documents of a run have the same id, so its line is made once.
  let runId = runIds[0] as string | undefined;
  let line = runLine(runId);
  for (let i = 0; i < texts.length; i++) {
    if (runIds[i] !== runId) {
      runId = runIds[i] as string | undefined;
      line = runLine(runId);
    }
    texts[i] = withHash(texts[i] as string, line);
  }
  return texts;
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
