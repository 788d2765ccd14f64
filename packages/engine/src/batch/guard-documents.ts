/** Documents share a guard for about this long. A guard costs as much as the work on several small documents. */
const SHARED_MILLIS = 10;

export interface GuardDocumentsOptions {
  /** How many documents wait. */
  readonly count: number;
  /** Sends a document through the stages. Returns a promise if a stage waits. */
  readonly process: (document: number) => Promise<void> | undefined;
  /** Called after each document. True ends the group. */
  readonly ends: () => boolean;
  /**
   * Runs work within the time limit of a document and so many milliseconds more. Returns false if V8 ended the work.
   */
  readonly guard: (work: () => void, moreMillis: number) => boolean;
  /** Remembers the output before a document. Returns what restores it. */
  readonly mark: () => () => void;
  /** The document has used up its time. Its output has been removed. */
  readonly overdue: (document: number) => void;
  /** A clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Processes documents within one guard, from the first one on, until one must wait, or the group has taken long enough.
 * The guard runs out for the whole group. So it grants the limit of one document and the time of a group: whichever
 * document is the last to begin, it has its whole limit. If V8 ends the group, only the document in progress fails.
 * @returns how many documents are finished, and what the last of them waits for
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
  // V8 may end the work between two documents, so that none is in progress. The next group continues then, but each
  // group must finish a document.
  if (!guard(work, SHARED_MILLIS) && (rollback !== undefined || finished === 0)) {
    rollback?.();
    overdue(finished++);
  }
  return { finished, waiting };
}
