import { totalmem } from 'node:os';

/** The heap of each thread of a run, in MiB: a quarter of the available memory, from 512 to 4096. */
export const HEAP_MB = Math.round(Math.min(4096, Math.max(512, availableBytes() / 4 / 2 ** 20)));

/**
 * The young generation of each thread of a distributed run, in MiB. The chunks of such a run are small messages, so the
 * default size is not faster. It takes 10 MiB more for each thread.
 */
export const DISTRIBUTED_YOUNG_MB = 6;

function availableBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
