/** How often the service handles changes of active runs, in milliseconds. */
export interface RunIntervals {
  /** How often the counts of running runs are stored. A failed save is also repeated then. */
  readonly save: number;
  /** How often event streams report the progress of a run. */
  readonly progress: number;
  /** How long events are collected before clients get them. */
  readonly gather: number;
}

export const RUN_INTERVALS: RunIntervals = { save: 1000, progress: 500, gather: 100 };
