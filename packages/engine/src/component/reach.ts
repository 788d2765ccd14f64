import type { ParameterProblem } from './parameters.ts';

/**
 * Reports a problem of `reach` at one of several places: one path of many, a missing index. The check of the other
 * places continues. An error that `reach` throws applies to the component as a whole.
 */
export type ReportProblem = (problem: ParameterProblem) => void;

/** A source or a destination that can be checked before a run. */
export interface Reachable {
  /**
   * Checks whether the source or destination exists and grants access. Writes nothing, creates nothing, asks once, and
   * closes what it has opened. It is called on a separate instance, which is not used for anything else.
   */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;
}
