import { expect, it } from 'vitest';
import { runMemory } from './run-memory.ts';

it.each([
  { machineMb: 24_576, memoryMb: 12_288, processors: 2, runHeapMb: 1024, maxConcurrentRuns: 2 },
  { machineMb: 16_384, memoryMb: 8192, processors: 8, runHeapMb: 1024, maxConcurrentRuns: 8 },
  { machineMb: 8192, memoryMb: 4096, processors: 8, runHeapMb: 1024, maxConcurrentRuns: 4 },
  { machineMb: 3072, memoryMb: 1536, processors: 2, runHeapMb: 384, maxConcurrentRuns: 2 },
  { machineMb: 1024, memoryMb: 512, processors: 16, runHeapMb: 128, maxConcurrentRuns: 4 },
  { machineMb: 256, memoryMb: 256, processors: 4, runHeapMb: 128, maxConcurrentRuns: 1 },
])('runs with a heap of $runHeapMb MiB, $maxConcurrentRuns at a time, in $machineMb MiB', (machine) => {
  const { machineMb, memoryMb, processors, ...expected } = machine;
  expect(runMemory(machineMb, memoryMb, processors)).toEqual(expected);
});
