import { readFileSync, writeFileSync } from 'node:fs';
import { machineBytes } from '../memory/machine-memory.ts';

/** How often the memory is measured. */
const LOOK_MILLIS = 50;
/** The part of the memory of the machine, or of the container, that this process and its helpers may use together. */
const PART = 0.9;
/** The kernel ends processes with the highest value first, if memory is missing. */
const ENDED_FIRST = '1000';

/** Why a helper was ended. */
export const TOO_MUCH_TOGETHER =
  'this process and its helpers used more than 90 % of the memory of the machine or container';

interface Helper {
  readonly pid: number;
  readonly end: () => void;
  isEnding: boolean;
}

/**
 * Watches the memory of the helpers of this process. Each has a limit, but several together could use up the memory of
 * the machine. Their limits cannot be added up: most helpers use a small part of what they may use. So if this process
 * and its helpers really use too much, the largest helper is ended. If the kernel notices first, it also ends helpers,
 * not this process. Only Linux shows the memory of other processes, so elsewhere nothing is watched.
 */
export class HelperMemory {
  readonly #helpers = new Set<Helper>();
  readonly #limit: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param limit in bytes, for this process and its helpers. Defaults to nine tenths of the memory of the machine. */
  constructor(limit?: number) {
    this.#limit = limit;
  }

  /**
   * Watches a process and its child processes.
   * @param end ends the process. It is called at most once
   * @returns a function to call when the process has ended
   */
  watch(pid: number | undefined, end: () => void): () => void {
    if (pid === undefined || process.platform !== 'linux') return () => undefined;
    const helper = { pid, end, isEnding: false };
    this.#helpers.add(helper);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MILLIS).unref();
    return () => {
      this.#helpers.delete(helper);
      if (this.#helpers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #look(): void {
    const helpers = [...this.#helpers].map((helper) => ({ helper, bytes: bytesOfTree(helper.pid) }));
    // The memory of a helper that was ended is free soon.
    if (helpers.some(({ helper }) => helper.isEnding)) return;
    const sum = helpers.reduce((total, { bytes }) => total + bytes, bytesOf('self'));
    if (sum <= (this.#limit ?? PART * machineBytes())) return;
    const [largest] = helpers.toSorted((one, other) => other.bytes - one.bytes);
    if (largest === undefined) return;
    largest.helper.isEnding = true;
    largest.helper.end();
  }
}

/** Returns the memory of a process and its child processes, and makes the kernel end them before others. */
function bytesOfTree(pid: number): number {
  try {
    const score = `/proc/${pid}/oom_score_adj`;
    if (readFileSync(score, 'utf8').trim() !== ENDED_FIRST) writeFileSync(score, ENDED_FIRST);
  } catch {
    // It has ended, or has changed its user. Then only its memory counts.
  }
  return childrenOf(pid).reduce((sum, child) => sum + bytesOfTree(child), bytesOf(pid));
}

/** A boundary is a process whose child process is the helper. Only its main thread starts child processes. */
function childrenOf(pid: number): number[] {
  return (read(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []).map(Number);
}

/** Returns the memory of a process that no file backs; 0 if it has ended. */
function bytesOf(pid: number | 'self'): number {
  const fields = read(`/proc/${pid}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+)/gm);
  return fields.reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
