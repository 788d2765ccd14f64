import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { messageOf, type Static, Type } from '@headrace/engine';
import { StoreError } from '../store/store.ts';

const space = (unit: string) => ({
  total: Type.Number({ description: unit }),
  available: Type.Number(),
  used: Type.Number(),
  percent: Type.Number({ minimum: 0, maximum: 100 }),
});

const heapFields = {
  total: Type.Number({ description: 'Bytes' }),
  free: Type.Number(),
  used: Type.Number(),
  percent: Type.Number({ minimum: 0, maximum: 100 }),
};

/**
 * The schema of the resource use of the machine and the process: bytes, and percentages from 0 to 100 with two
 * decimals.
 */
export const SystemStatsAnswer = Type.Object(
  {
    cpu: Type.Object({ ...space('Percent'), loadAverage: Type.Number({ description: 'Over one minute' }) }),
    ram: Type.Object(space('Bytes')),
    jvm: Type.Object(heapFields, {
      description: 'The heap of the runtime; the field has the name from the reference',
    }),
    heap: Type.Object(heapFields),
    storage: Type.Object(space('Bytes')),
  },
  { $id: 'SystemStats' },
);

export type SystemStats = Static<typeof SystemStatsAnswer>;

/** Requests within this time get the same processor use, because a shorter time span is too inaccurate. */
const MIN_CPU_SPAN_MILLIS = 500;

/** Measures the machine. The processor use is measured since the last request. */
export class SystemMeter {
  readonly #directory: string;
  #before: CpuTimes = cpuTimes();
  #percent: number | undefined;

  /** @param directory a directory in the file system that `storage` describes */
  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(): Promise<SystemStats> {
    const cpu = this.#cpuPercent();
    const ram = process.availableMemory();
    const heap = heapUse();
    const disk = await this.#disk();
    return {
      cpu: { percent: cpu, used: cpu, available: round(100 - cpu), total: 100, loadAverage: round(loadavg()[0] ?? 0) },
      ram: spaceUse(totalmem(), ram),
      jvm: heap,
      heap,
      storage: spaceUse(disk.blocks * disk.bsize, disk.bavail * disk.bsize),
    };
  }

  async #disk(): Promise<StatsFs> {
    try {
      return await statfs(this.#directory);
    } catch (error) {
      throw new StoreError(`The disk of ${this.#directory} cannot be checked: ${messageOf(error)}`, { cause: error });
    }
  }

  #cpuPercent(): number {
    const now = cpuTimes();
    const total = now.total - this.#before.total;
    if (this.#percent === undefined || total >= MIN_CPU_SPAN_MILLIS) {
      this.#percent = total <= 0 ? 0 : percentOf(total - (now.idle - this.#before.idle), total);
      this.#before = now;
    }
    return this.#percent;
  }
}

interface CpuTimes {
  idle: number;
  total: number;
}

function cpuTimes(): CpuTimes {
  const times = { idle: 0, total: 0 };
  for (const { times: cpu } of cpus()) {
    times.idle += cpu.idle;
    times.total += cpu.user + cpu.nice + cpu.sys + cpu.idle + cpu.irq;
  }
  return times;
}

function heapUse(): SystemStats['heap'] {
  const { total_heap_size: total, used_heap_size: used } = getHeapStatistics();
  return { total, free: total - used, used, percent: percentOf(used, total) };
}

function spaceUse(total: number, available: number): SystemStats['ram'] {
  const used = Math.max(0, total - available);
  return { total, available, used, percent: percentOf(used, total) };
}

function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.max(0, round((part / whole) * 100)));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
