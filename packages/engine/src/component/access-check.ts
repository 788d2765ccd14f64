import type { ParameterProblem } from './parameters.ts';

/**
 * Reports a problem of `checkAccess` that concerns one of several targets, such as one path of many or a missing index. The
 * check of the other targets continues. An error that `checkAccess` throws concerns the whole component.
 */
export type ReportProblem = (problem: ParameterProblem) => void;

/** A source or a destination that can be checked before a run. */
export interface ChecksAccess {
  /**
   * Checks whether the source or destination exists and grants access. Writes and creates nothing, makes one attempt,
   * and closes everything that it opened. The check uses a separate instance, which is used for nothing else.
   */
  checkAccess?(report: ReportProblem, signal: AbortSignal): Promise<void>;
}
