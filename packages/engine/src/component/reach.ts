import type { ParameterProblem } from './parameters.ts';

/**
 * Takes what `reach` of a component finds wrong in a place of its own: a path of several, an index that is missing. The
 * others are looked at all the same. What `reach` throws is wrong with the component as a whole.
 */
export type ReportProblem = (problem: ParameterProblem) => void;

/** A source or a sink that can be looked at before a run. */
export interface Reachable {
  /**
   * Looks whether what the component reads from, or writes to, is there and lets it in. Writes nothing, creates nothing,
   * asks once, and closes what it has opened. Called on an instance of its own, which is not used for anything else.
   */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;
}
