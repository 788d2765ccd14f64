import { setFlagsFromString } from 'node:v8';
import { machineBytes } from '@headrace/engine/threads';

/** The heap of each thread of a run, in MiB: a quarter of the available memory, from 512 to 4096. */
export const HEAP_MB = Math.round(Math.min(4096, Math.max(512, machineBytes() / 4 / 2 ** 20)));

/**
 * The young generation of each thread of a distributed run, in MiB. The chunks of such a run are small messages, so the
 * default size is not faster. It takes 10 MiB more for each thread.
 */
const DISTRIBUTED_YOUNG_MB = 6;

/** The size at which a heap of a distributed run is collected for the first time, in MiB. */
const FIRST_COLLECTION_MB = 14;
/** The maximum growth of such a heap before the next collection, in percent of its live memory. */
const DISTRIBUTED_GROWING_PERCENT = 60;

/** The options of a launcher of distributed runs. */
export const DISTRIBUTED_THREADS = {
  heapMb: HEAP_MB,
  youngMb: DISTRIBUTED_YOUNG_MB,
  heapGrowingPercent: DISTRIBUTED_GROWING_PERCENT,
  keepWarm: false,
  lanes: 1,
} as const;

/** The size of each half of the young generation with `--external`, in MiB. */
const SEMI_SPACE_MB = DISTRIBUTED_YOUNG_MB / 3;

/**
 * Limits the heaps of the threads that start later. The chunks of a distributed run are in memory outside the heaps, and
 * are freed immediately. So the heaps grow slowly. By default, V8 lets each one grow to 40 MiB before it collects it for
 * the first time, and most of that is garbage.
 * @param isLocal whether a run uses the main thread, whose young generation then must not grow to 32 MiB
 */
export function limitHeaps(isLocal = false): void {
  setFlagsFromString(`--initial-old-space-size=${FIRST_COLLECTION_MB}`);
  setFlagsFromString(`--heap-growing-percent=${DISTRIBUTED_GROWING_PERCENT}`);
  if (!isLocal) return;
  // The main thread has no separate limit. All young generations keep the size with which they start.
  // From here on, this only makes V8 collect heaps that have grown by 2 MiB, instead of 8.
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`);
}
