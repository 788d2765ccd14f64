import { expect, it } from 'vitest';
import { memoryWarning, runMemory } from './run-memory.ts';

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

it('warns of heaps that need more than the memory of the machine beside large values', () => {
  const limits = { memoryMb: 1024, runHeapMb: 512, maxConcurrentRuns: 4 };
  expect(memoryWarning(3072, limits)).toBeUndefined();
  expect(memoryWarning(3071, limits)).toBe(
    'The runs may use more memory than the machine or container has (3071 MiB): maxConcurrentRuns 4 with a heap of 512 MiB (runHeapMb) are 2048 MiB, and large values may have 1024 MiB (memoryMb). Then the kernel ends the service. Set lower limits',
  );
});
