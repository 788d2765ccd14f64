import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the two versions of control groups. */
const GROUPS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
] as const;

/** Whether a control group limits a process, or its memory is only measured. */
export interface MemoryLimit {
  readonly kind: 'group' | 'measured';
  /** Returns the most memory that was in use since the last reset, in MiB; undefined without a group. */
  peakMb(): number | undefined;
  /** Starts to measure the peak again. Version 2 of control groups cannot, so its peak is that of all time. */
  resetPeak(): void;
  /** Removes the group. Call it after the process has ended. */
  remove(): Promise<void>;
}

/** Set to `measured`, this variable makes a test only measure, also where groups are possible. */
const ONLY_MEASURED = process.env['HEADRACE_LIMIT'] === 'measured';

/**
 * Limits the memory of a process that has just started, and of its later children. The kernel kills a process that
 * exceeds the limit of its group. If this machine allows no groups, the caller compares `peakResidentMb`: RLIMIT_DATA
 * counts what V8 reserves for each thread, so with 1 GiB it ends a service that starts its first run.
 */
export function limitMemoryOf(pid: number, bytes: number): MemoryLimit {
  for (const { root, limit, peak } of GROUPS) {
    if (ONLY_MEASURED || !existsSync(join(root, 'cgroup.procs'))) continue;
    try {
      const group = mkdtempSync(join(root, 'headrace-'));
      try {
        writeFileSync(join(group, limit), String(bytes));
        writeFileSync(join(group, 'cgroup.procs'), String(pid));
      } catch (error) {
        rmdirSync(group);
        throw error;
      }
      const peakMb = () => Number(readFileSync(join(group, peak), 'utf8')) / 2 ** 20;
      const resetPeak = () => {
        if (peak === 'memory.max_usage_in_bytes') writeFileSync(join(group, peak), '0');
      };
      return { kind: 'group', peakMb, resetPeak, remove: () => removal(group) };
    } catch {
      // The directory is read-only, or the controller is not available there.
    }
  }
  return { kind: 'measured', peakMb: () => undefined, resetPeak: () => undefined, remove: async () => undefined };
}

/** Removes a group, as soon as the kernel has removed the ended processes from it. */
async function removal(group: string): Promise<void> {
  for (;;) {
    try {
      rmdirSync(group);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Returns the memory of a process that is in use, in MiB. */
export function residentMb(pid: number): number {
  return megabytes(pid, 'VmRSS');
}

/** Returns the most memory that a process used since the last reset, in MiB. */
export function peakResidentMb(pid: number): number {
  return megabytes(pid, 'VmHWM');
}

/** Starts to measure the peak of a process again. */
export function resetPeakResident(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function megabytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}
