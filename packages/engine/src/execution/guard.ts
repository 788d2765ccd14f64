import { Script } from 'node:vm';
import type { Undo } from './undo.ts';

const HOOK = Symbol.for('headrace.compute-guard');

/**
 * The target time of a group of documents that share one guarded call, in milliseconds. A guarded call takes as long as
 * the work on many small documents.
 */
const GROUP_MILLIS = 100;

/**
 * Runs synchronous work with the time limit of a document. Returns false if V8 interrupted the work.
 * @param moreMillis the time that the work may take in addition
 */
export type Guard = (work: () => void, moreMillis?: number) => boolean;

/** Calls the work in the hook. V8 can set a time limit only for a script. */
const script = new Script(`globalThis[Symbol.for('headrace.compute-guard')]()`, { filename: 'compute-guard' });

/**
 * Runs synchronous work with a time limit. V8 interrupts the work at any point, even in a regular expression or a loop.
 * Cleanup code of the work then does not run, so the caller must know what the work has changed. A call takes about 70
 * µs.
 * @returns false if V8 interrupted the work because it exceeded `limitMillis`
 */
export function runGuarded(work: () => void, limitMillis: number): boolean {
  const hooks = globalThis as unknown as Record<symbol, unknown>;
  hooks[HOOK] = work;
  try {
    script.runInThisContext({ timeout: Math.ceil(limitMillis) });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  } finally {
    delete hooks[HOOK];
  }
}

/** Documents that are processed in groups, each in one guarded call. */
export interface GuardedWork {
  /** The number of documents. */
  readonly count: number;
  readonly guard: Guard;
  /** Marks the output before a document. */
  mark(): Undo;
  /** Sends a document through stages. Returns a promise if a stage waits, which ends the group. */
  process(document: number): Promise<void> | undefined;
  /** Called after each document. Returns true to end the group. */
  ends?(): boolean;
  /** Called for a document that has exceeded its time limit, after its output was removed. */
  overdue(document: number): void;
  /** Returns the time in milliseconds. */
  now?(): number;
}

/**
 * Processes a group of documents from a number on. The time limit of the group is its target time plus the limit of one
 * document, so that its last document also has the full limit. If V8 interrupts the group, only the document in progress
 * fails.
 * @returns the number of finished documents, at least one, and the promise that the last of them waits for
 */
export function runGroup(work: GuardedWork, from: number): { finished: number; waiting: Promise<void> | undefined } {
  const { now = () => performance.now() } = work;
  const started = now();
  let at = from;
  /** The document that was begun last. While it is in progress, it is `at`. */
  let begun = -1;
  let undo: Undo | undefined;
  let waiting: Promise<void> | undefined;
  const isOver = () => at >= work.count || now() - started >= GROUP_MILLIS || work.ends?.() === true;
  const inTime = work.guard(() => {
    do {
      undo = work.mark();
      begun = at;
      waiting = work.process(at);
      at = begun + 1;
    } while (waiting === undefined && !isOver());
  }, GROUP_MILLIS);
  if (waiting !== undefined) at = begun + 1;
  else if (!inTime && (at === begun || at === from)) {
    // If V8 interrupts between two documents, no document is in progress, and the next group continues. But each group
    // must finish at least one document.
    if (at === begun) undo?.();
    work.overdue(at++);
  }
  return { finished: at - from, waiting };
}
