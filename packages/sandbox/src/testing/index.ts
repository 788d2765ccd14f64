export { boundariesHere, lockedIn, pathWith, statusOf } from './boundaries.ts';
