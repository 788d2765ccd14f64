import { hostname } from 'node:os';
import { type IndexAdmin, inPath } from './index-admin.ts';
import type { Json } from './types.ts';

/** What a rebuild stores in its index, under `_meta.headrace` of the mappings. */
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
  readonly created: string;
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

/** Returns the indices that rebuilds of an alias have made, the newest first. */
export async function rebuiltIndices(admin: IndexAdmin, base: string, alias: string): Promise<RebuiltIndex[]> {
  const path = `/${inPath(base)}-*/_mapping?filter_path=*.mappings._meta.headrace&expand_wildcards=all`;
  const answer = (await admin.find<Record<string, Mapped>>('GET', path)) ?? {};
  return Object.entries(answer)
    .flatMap(([name, { mappings }]) => {
      const mark = mappings?._meta?.headrace;
      return mark?.alias === alias && typeof mark.token === 'string' ? [{ name, mark }] : [];
    })
    .toSorted((a, b) => (a.mark.created < b.mark.created ? 1 : -1));
}

interface Mapped {
  readonly mappings?: { readonly _meta?: Json & { readonly headrace?: RebuildMark } };
}

/** Changes the mark of an index. Keeps everything else in `_meta`. */
export async function changeMark(
  admin: IndexAdmin,
  { name, mark }: RebuiltIndex,
  change: Partial<RebuildMark>,
): Promise<void> {
  const path = `/${inPath(name)}/_mapping`;
  const { mappings } = (await admin.ask<Record<string, Mapped>>('GET', path))[name] ?? {};
  await admin.ask('PUT', path, { _meta: { ...mappings?._meta, headrace: { ...mark, ...change } } });
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
