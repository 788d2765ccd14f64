export {
  boundaryCommand,
  type Command,
  type Limited,
  type LockedIn,
  limitedCommand,
  NODE_INSIDE,
  type ProcessLimits,
} from './boundary-command.ts';
export { findBoundary } from './find-boundary.ts';
export type { Mount } from './launcher.ts';
export type { ScriptBoundary, UsableBoundary } from './script-boundary.ts';
