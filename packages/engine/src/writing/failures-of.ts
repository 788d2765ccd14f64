import type { IndexFailure } from '../component/indexer.ts';

/** Returns true if a value is a list of failures, each of another document of a batch. */
export function areFailuresOf(count: number, answer: unknown): answer is readonly IndexFailure[] {
  if (!Array.isArray(answer)) return false;
  const indices = answer.map((failure) => failure?.index);
  const areDocuments = indices.every((index) => Number.isInteger(index) && index >= 0 && index < count);
  return areDocuments && new Set(indices).size === indices.length;
}

/** How to correct an answer that does not say which documents failed. */
export const LIST_FAILURES =
  'Return [{ index, message }], with each position in the batch at most once, or an empty list.';
