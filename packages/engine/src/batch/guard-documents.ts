/**
 * The target time of a group of documents that share one guard. A guard costs as much as the work on several small
 * documents.
 */
const SHARED_MILLIS = 10;

export interface GuardDocumentsOptions {
  /** The number of waiting documents. */
  readonly count: number;
  /** Sends a document through the stages. Returns a promise if a stage waits. */
  readonly process: (document: number) => Promise<void> | undefined;
  /** Called after each document. Returns true to end the group. */
  readonly ends: () => boolean;
  /**
   * Runs work with a time limit: the limit of a document plus `moreMillis`. Returns false if V8 interrupted the work.
   */
  readonly guard: (work: () => void, moreMillis: number) => boolean;
  /** Marks the end of the output. Returns a function that removes everything after the mark. */
  readonly mark: () => () => void;
  /** Called for a document that has exceeded its time limit, after its output was removed. */
  readonly overdue: (document: number) => void;
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Processes waiting documents in one group, which shares one guard. The group ends if a document waits for a stage,
 * after `SHARED_MILLIS`, or if `ends` returns true. The guard limits the time of the whole group. Its limit is the
 * target time of a group plus the limit of one document, so the last document of the group also has its full limit. If
 * V8 interrupts the group, only the document in progress fails.
 * @returns the number of finished documents, and the promise that the last of them waits for
 */
export function guardDocuments({
  count,
  process,
  ends,
  guard,
  mark,
  overdue,
  now = () => performance.now(),
}: GuardDocumentsOptions): { finished: number; waiting: Promise<void> | undefined } {
  const started = now();
  let finished = 0;
  let waiting: Promise<void> | undefined;
  let rollback: (() => void) | undefined;
  const work = () => {
    do {
      rollback = mark();
      waiting = process(finished);
      rollback = undefined;
      finished++;
    } while (waiting === undefined && finished < count && now() - started < SHARED_MILLIS && !ends());
  };
  // If V8 interrupts between two documents, no document is in progress, and the next group continues. But each group
  // must finish at least one document.
  if (!guard(work, SHARED_MILLIS) && (rollback !== undefined || finished === 0)) {
    rollback?.();
    overdue(finished++);
  }
  return { finished, waiting };
}
