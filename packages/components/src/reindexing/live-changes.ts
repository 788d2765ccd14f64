import type { CheckResult } from '@headrace/engine';

/** What others write to the live index while a rebuild is open. */
export interface LiveChanges {
  /** Repeats the recorded changes in the new index, until few are left. Returns how many it has repeated. */
  replay(signal: AbortSignal): Promise<number>;
  /**
   * Calls a function while no other run of the process writes to the place of the index. It must move the alias, or fail
   * the rebuild: afterwards nothing is recorded.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Returns whether the new index has all changes of the live one. Call it in `exclusively`, when all are replayed. */
  check(): Promise<CheckResult[]>;
  /** Notes that the alias is about to move. Unless `moved` follows, other runs cancel the move. Call it in `exclusively`. */
  moving?(index: string): Promise<void>;
  /** Notes that the alias has moved. */
  moved?(): void;
  /**
   * Returns a check that reports what others have written to the replaced output between `check` and the move of the
   * alias. Undefined if nothing was written. Call it in `exclusively`, after the move.
   */
  checkMove?(): Promise<CheckResult | undefined>;
  /** Ends the recording. Further calls do nothing. */
  close(): void;
}
