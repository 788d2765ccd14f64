import { type CheckResult, counted } from '@headrace/engine';
import type { IndexAdmin } from './index-admin.ts';
import { writesOf } from './index-fingerprint.ts';
import type { Log } from './types.ts';

/** How the writes of programs that a rebuild does not know are treated: the rebuild fails, or only reports them. */
export type ForeignWrites = 'fail' | 'report';

/** The live indices of an alias at one time. */
export interface LiveState {
  readonly indices: readonly string[];
  /** Their ids. An index that was created again has another one. */
  readonly uuids: string;
  /** The number of all writes and deletions. */
  readonly writes: number;
}

/** Reads the state of the indices that an alias points to. */
export async function liveStateOf(admin: IndexAdmin, indices: ReadonlySet<string>): Promise<LiveState> {
  const names = [...indices].toSorted();
  let writes = 0;
  const uuids: string[] = [];
  for (const name of names) {
    const state = await writesOf(admin, name);
    writes += state.writes;
    uuids.push(state.uuid);
  }
  return { indices: names, uuids: uuids.join(' '), writes };
}

/** What the runs of this process have written to the live indices between two states. */
export interface KnownWrites {
  /** The acknowledged writes. */
  readonly known: number;
  /** At most how many writes more: requests without a known outcome, and documents that the index has refused. */
  readonly unknown: number;
}

const STOP_OTHERS =
  'Let all writers run in the service of the rebuild, or stop them during a rebuild. To accept such writes, set rebuild.foreignWrites: report.';
const RUN_OTHERS_AGAIN = 'Run the other programs again, from before the rebuild began';

/** Returns the check that fails if others have written to the live output; or reports them. */
export function foreignCheck(isForeign: boolean, found: string, mode: ForeignWrites, log: Log): CheckResult {
  const name = 'foreignWrites';
  const expected = mode === 'fail' ? 'none' : 'a report (rebuild.foreignWrites)';
  if (!isForeign) return { name, outcome: 'passed', found, expected };
  if (mode === 'fail') return { name, outcome: 'failed', found, expected, hint: STOP_OTHERS };
  const advised = `${found}. ${RUN_OTHERS_AGAIN}`;
  log.warn(`The output is replaced in spite of writes of others: ${advised}`);
  return { name, outcome: 'passed', found: advised, expected };
}

/** Whether others have written to the live indices, in words. */
interface ForeignWritesFound {
  readonly isForeign: boolean;
  readonly found: string;
}

/**
 * Compares the number of writes of the live indices with what the runs of this process have written. Each write or
 * deletion in a shard has the next number, so writes of other programs are found, but not who made them.
 */
export function findForeignWrites(
  before: LiveState,
  now: LiveState,
  { known, unknown }: KnownWrites,
): ForeignWritesFound {
  const where = before.indices.join(', ');
  if (before.indices.join() !== now.indices.join()) {
    const found = `the alias pointed to ${where || 'no index'}, and now to ${now.indices.join(', ') || 'none'}`;
    return { isForeign: true, found };
  }
  if (before.uuids !== now.uuids) return { isForeign: true, found: `${where} was deleted and created again` };
  const foreign = now.writes - before.writes - known;
  if (foreign <= 0) return { isForeign: false, found: 'none' };
  if (foreign <= unknown) {
    const requests = `requests of runs of this process without a known outcome may have made up to ${unknown}`;
    return {
      isForeign: false,
      found: `none for certain: the origin of ${counted(foreign, 'write')} to ${where} is not known, and ${requests}`,
    };
  }
  const found = `${counted(foreign, 'write')} to ${where} that no run of this process has made, which the new index lacks`;
  return { isForeign: true, found };
}
