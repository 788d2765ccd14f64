import { machineBytes } from '@headrace/engine/threads';

/** The heap of each thread of a run, in MiB: a quarter of the available memory, from 512 to 4096. */
export const HEAP_MB = Math.round(Math.min(4096, Math.max(512, machineBytes() / 4 / 2 ** 20)));

/**
 * The young generation of each thread of a distributed run, in MiB. The chunks of such a run are small messages, so the
 * default size is not faster. It takes 10 MiB more for each thread.
 */
const DISTRIBUTED_YOUNG_MB = 6;

/** The maximum growth of a heap of a distributed run before the next collection, in percent of its live memory. */
const DISTRIBUTED_GROWING_PERCENT = 60;

/** The options of a launcher of distributed runs. */
export const DISTRIBUTED_THREADS = {
  heapMb: HEAP_MB,
  youngMb: DISTRIBUTED_YOUNG_MB,
  heapGrowingPercent: DISTRIBUTED_GROWING_PERCENT,
  keepWarm: false,
  lanes: 1,
} as const;
