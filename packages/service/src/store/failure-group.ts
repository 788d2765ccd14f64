import { createHash } from 'node:crypto';

/** How many characters of a message are compared. */
const MAX_COMPARED = 1000;

/** Texts in quotes or brackets, and words. No pattern backtracks: messages may contain texts of attackers. */
const VALUES = /"[^"]*"|'[^']*'|`[^`]*`|\[[^[\]]*\]|[\p{L}\p{N}_-]+/gu;
const WORD = /^[\p{L}_-]+$/u;

/** The fields of a failure that decide about its group. */
export interface GroupedFailure {
  readonly at: string;
  readonly code: string;
  readonly status?: number | undefined;
  readonly message: string;
}

/**
 * Returns the key of the group of a failure. Failures of one group have the same place, code and status, and messages
 * that differ only in values: quoted texts, lists, and words with digits, such as ids.
 */
export function failureGroup({ at, code, status = 0, message }: GroupedFailure): string {
  const reason = message.slice(0, MAX_COMPARED).replace(VALUES, (text) => (WORD.test(text) ? text : '…'));
  const hash = createHash('sha256').update(JSON.stringify([at, code, status, reason]));
  return hash.digest('hex').slice(0, 16);
}
