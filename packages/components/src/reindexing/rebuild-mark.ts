import { hostname } from 'node:os';

/** What a rebuild stores in its index. */
export interface RebuildMark {
  readonly alias: string;
  /** The run that built the index. */
  readonly run: string;
  /** Identifies the rebuild. */
  readonly token: string;
  /**
   * - `building`: a run writes the index, or was killed while it did
   * - `failed`: the run failed or a check failed
   * - `complete`: the alias pointed to the index
   * - `rolled-back`: a rollback has replaced the index
   */
  readonly state: 'building' | 'failed' | 'complete' | 'rolled-back';
  /** Why the state is `failed`. */
  readonly reason?: string;
  /** When the index was created. Its name ends with this time. */
  readonly created: string;
  /** Counts the rebuilds of an alias: a clock may be set back. */
  readonly sequence: number;
  /** The process that builds the index, and its last sign of life. */
  readonly process: ProcessMark;
  readonly alive: string;
}

/** A process of this or another machine. */
interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  /** When the process started, in milliseconds. */
  readonly started: number;
}

/** How often a rebuild renews its sign of life, and how long it counts. */
export const ALIVE_MILLIS = 20_000;
const LEASE_MILLIS = 120_000;
/** The start time of a process is computed from two clocks. */
const CLOCK_MILLIS = 5000;

/** An index that a rebuild has made. */
export interface RebuiltIndex {
  readonly name: string;
  readonly mark: RebuildMark;
}

/**
 * Returns the mark that was read for an index; undefined if this index is not one that a rebuild of the alias has made.
 * Copies of an index have its mark too, but another name.
 */
export function markOf(value: unknown, name: string, base: string, alias: string): RebuildMark | undefined {
  const { process: owner, ...mark } = (value ?? {}) as Partial<RebuildMark>;
  const isWhole =
    [mark.run, mark.token, mark.state, mark.created, mark.alive, owner?.host].every((one) => typeof one === 'string') &&
    [mark.sequence, owner?.pid, owner?.started].every((one) => typeof one === 'number');
  if (!isWhole || mark.alias !== alias || Number.isNaN(Date.parse(`${mark.created}`))) return undefined;
  return name === nameOf(base, new Date(`${mark.created}`)) ? (value as RebuildMark) : undefined;
}

/** Returns the name of an index from its time, which is in UTC: products-20260131-142530123. */
export function nameOf(base: string, created: Date): string {
  const time = created
    .toISOString()
    .replace(/[-:.Z]/g, '')
    .replace('T', '-');
  return `${base}-${time}`;
}

export function thisProcess(): ProcessMark {
  return { host: hostname(), pid: process.pid, started: Math.round(Date.now() - process.uptime() * 1000) };
}

/** Returns whether a rebuild is still running. A process of this machine can be checked, others have a lease. */
export function isRunning({ state, process: owner, alive }: RebuildMark): boolean {
  if (state !== 'building') return false;
  return !isGone(owner) && Date.now() - Date.parse(alive) < LEASE_MILLIS;
}

function isGone({ host, pid, started }: ProcessMark): boolean {
  const own = thisProcess();
  if (host !== own.host) return false;
  // After a restart of a container, a new process has the same id.
  if (pid === own.pid) return Math.abs(started - own.started) > CLOCK_MILLIS;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
