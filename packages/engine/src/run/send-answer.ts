import type { LaterAnswer, SendAnswer } from '../component/indexer.ts';
import { counted } from '../errors/counted.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { areFailuresOf, LIST_FAILURES } from '../writing/failures-of.ts';

/** Returns true if the result of an indexer is a `LaterAnswer`. */
export function isLater(answer: SendAnswer): answer is LaterAnswer {
  return !Array.isArray(answer);
}

/**
 * A custom indexer may return any value. Throws if the value does not say which documents failed, because then some
 * documents would not count exactly once.
 */
export function checkAnswer(answer: unknown, count: number): void {
  if ((answer as Partial<LaterAnswer> | undefined)?.confirmed instanceof Promise) return;
  if (areFailuresOf(count, answer)) return;
  const message = `The indexer's send() does not say which of ${counted(count, 'document')} failed`;
  throw new HeadraceError('HR_INDEXER_FAILED', message, { hint: LIST_FAILURES });
}
