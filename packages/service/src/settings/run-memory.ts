/** The heap of a thread on a machine with enough memory, and the smallest default, in MiB. */
const HEAP_MB = 1024;
const LEAST_HEAP_MB = 128;
/** So many full heaps fit beside the large values. */
const HEAPS = 4;

/**
 * Returns a warning if the memory of the machine is less than one full heap for each run and all large values; undefined
 * otherwise.
 */
export function memoryWarning(
  machineMb: number,
  { memoryMb, runHeapMb, maxConcurrentRuns }: Readonly<Record<'memoryMb' | 'runHeapMb' | 'maxConcurrentRuns', number>>,
): string | undefined {
  const heapsMb = runHeapMb * maxConcurrentRuns;
  if (heapsMb + memoryMb <= machineMb) return undefined;
  return `The runs may use more memory than the machine or container has (${Math.floor(machineMb)} MiB): maxConcurrentRuns ${maxConcurrentRuns} with a heap of ${runHeapMb} MiB (runHeapMb) are ${heapsMb} MiB, and large values may have ${memoryMb} MiB (memoryMb). Then the kernel ends the service. Set lower limits`;
}

/**
 * Returns the default heap of each thread of a run, and the default number of simultaneous runs. On a small machine they
 * are lower, so that the heaps fit into the memory beside the large values, counting one full heap for each run. With
 * 8 GiB, and 2 GiB for each processor, they have their full values.
 * @param machineMb the memory of the machine or the container, in MiB
 * @param memoryMb the part of it for large values
 */
export function runMemory(
  machineMb: number,
  memoryMb: number,
  processors: number,
): { readonly runHeapMb: number; readonly maxConcurrentRuns: number } {
  const rest = Math.max(0, machineMb - memoryMb);
  const runHeapMb = Math.min(HEAP_MB, Math.max(LEAST_HEAP_MB, Math.floor(rest / HEAPS)));
  return { runHeapMb, maxConcurrentRuns: Math.max(1, Math.min(processors, Math.floor(rest / runHeapMb))) };
}
