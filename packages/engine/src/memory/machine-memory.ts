import { totalmem } from 'node:os';

const MIB = 2 ** 20;
/** The part of the machine's memory for large values. The rest is for the heaps, the code and the system. */
const DEFAULT_PART = 1 / 2;
const LEAST_DEFAULT_MB = 256;

/** Returns the memory of the machine in bytes, or of the container if its limit is lower. */
export function machineBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Returns the default limit of all large values of the process, in MiB: half of the memory. */
export function defaultMemoryMb(): number {
  return Math.max(LEAST_DEFAULT_MB, Math.floor((machineBytes() * DEFAULT_PART) / MIB));
}
