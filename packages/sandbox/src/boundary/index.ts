export { boundaryCommand, type LockedIn, NODE_INSIDE } from './boundary-command.ts';
export { findBoundary } from './find-boundary.ts';
export type { Mount } from './launcher.ts';
export type { ScriptBoundary, UsableBoundary } from './script-boundary.ts';
