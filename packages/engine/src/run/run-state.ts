/** The states of a run. */
export type RunState = 'QUEUED' | 'RUNNING' | 'STOPPING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'INTERRUPTED';

/** The allowed transitions. All changes of a state follow this table. */
const TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  QUEUED: ['RUNNING', 'FAILED', 'CANCELLED', 'INTERRUPTED'],
  RUNNING: ['STOPPING', 'SUCCEEDED', 'FAILED', 'INTERRUPTED'],
  STOPPING: ['SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
  INTERRUPTED: [],
};

export function mayBecome(from: RunState, to: RunState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Returns true if a run in this state has finished. */
export function isFinal(state: RunState): boolean {
  return TRANSITIONS[state].length === 0;
}
