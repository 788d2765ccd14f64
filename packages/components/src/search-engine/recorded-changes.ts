import {
  type CheckResult,
  counted,
  type EncodedBatch,
  HeadraceError,
  type IndexFailure,
  type Logger,
  type OtherWriters,
  type RebuildPass,
} from '@headrace/engine';
import { ChangeJournal } from '../reindexing/change-journal.ts';
import type { IndexAdmin } from '../reindexing/index-admin.ts';
import type { IndexTarget } from '../reindexing/index-target.ts';
import type { LiveChanges } from '../reindexing/live-changes.ts';
import {
  type ForeignWrites,
  findForeignWrites,
  foreignCheck,
  type LiveState,
  liveStateOf,
} from '../reindexing/live-writes.ts';
import { ReindexError } from '../reindexing/reindex-error.ts';
import { inIndex } from './action-line.ts';

/** So few changes are left for the time in which other runs wait. */
const FEW_CHANGES = 500;
/** If other runs change more than is replayed, the rest is replayed while they wait. */
const MOST_ROUNDS = 100;

/** The rebuild whose live index others change. */
export interface FollowedRebuild {
  readonly pass: RebuildPass;
  readonly admin: IndexAdmin;
  readonly target: IndexTarget;
  /** The name that documents of the new index are written to. */
  readonly index: string;
  readonly foreignWrites: ForeignWrites;
  readonly log: Logger;
  /** Writes documents to the new index, and returns those that failed. */
  write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]>;
}

/** Replays the changes of a live index that other runs have recorded. */
export class RecordedChanges implements LiveChanges {
  readonly #rebuild: FollowedRebuild;
  readonly #journal: ChangeJournal;
  readonly #before: LiveState;
  #others: OtherWriters | undefined;
  /** The live indices at the last check. */
  #checked: LiveState | undefined;
  #replayed = 0;
  #absent = 0;
  #refused = 0;
  #firstRefusal = '';
  #isClosed = false;

  private constructor(rebuild: FollowedRebuild, journal: ChangeJournal, before: LiveState) {
    this.#rebuild = rebuild;
    this.#journal = journal;
    this.#before = before;
  }

  /** Begins to record, while no other run has a request in flight. */
  static async open(rebuild: FollowedRebuild): Promise<RecordedChanges> {
    const { pass, admin, target } = rebuild;
    return pass.exclusively(async () => {
      const before = await liveStateOf(admin, await target.live());
      const changes = new RecordedChanges(rebuild, ChangeJournal.create(pass.path), before);
      return { journal: { path: pass.path, live: before.indices }, result: changes };
    });
  }

  async replay(signal: AbortSignal): Promise<number> {
    let replayed = 0;
    const isExclusive = this.#others !== undefined;
    for (
      let round = 0;
      round < MOST_ROUNDS && this.#journal.open > (isExclusive || round === 0 ? 0 : FEW_CHANGES);
      round++
    )
      replayed += await this.#replayAll(signal);
    return replayed;
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#rebuild.pass.exclusively(async (others) => {
      if (others.broken !== undefined) {
        throw new ReindexError(
          `The rebuild lacks changes of other runs: ${others.broken}`,
          'Make space on the disk of the service if it is full, and start the rebuild again.',
        );
      }
      this.#others = others;
      return { journal: undefined, result: await work() };
    });
  }

  async check(): Promise<CheckResult[]> {
    const { admin, target, foreignWrites, log } = this.#rebuild;
    const now = await liveStateOf(admin, await target.live());
    this.#checked = now;
    const known = this.#journal.writes;
    const unknown = this.#others?.unknown ?? 0;
    const { isForeign, found } = findForeignWrites(this.#before, now, { known, unknown });
    const foreign = foreignCheck(isForeign, found, foreignWrites, log);
    if (this.#replayed === 0) return [foreign];
    const absent = this.#absent === 0 ? '' : `, of which ${this.#absent} update documents that it does not have`;
    const refused =
      this.#refused === 0 ? '' : `; it has refused ${this.#refused}, the first one: ${this.#firstRefusal}`;
    const changes: CheckResult = {
      name: 'changes',
      outcome: this.#refused === 0 ? 'passed' : 'failed',
      found: `${counted(this.#replayed, 'change')} of other runs repeated in the new index${absent}${refused}`,
      expected: 'none refused',
    };
    return [changes, foreign];
  }

  moving(index: string): Promise<void> {
    return this.#rebuild.pass.moving(index);
  }

  moved(): void {
    this.#rebuild.pass.moved();
  }

  async checkMove(): Promise<CheckResult | undefined> {
    const checked = this.#checked;
    if (checked === undefined) return undefined;
    const { admin, log } = this.#rebuild;
    const now = await liveStateOf(admin, new Set(checked.indices));
    const { isForeign, found } = findForeignWrites(checked, now, { known: 0, unknown: 0 });
    return isForeign ? foreignCheck(true, `${found}, just before the alias moved`, 'report', log) : undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#journal.close();
    this.#rebuild.pass.close();
  }

  /** Replays what was recorded when it began. */
  async #replayAll(signal: AbortSignal): Promise<number> {
    let replayed = 0;
    for (let left = this.#journal.open; left > 0; ) {
      const next = this.#journal.next();
      if (next === undefined) break;
      signal.throwIfAborted();
      const { contents, changes } = next.toReplay;
      await this.#send(contents, signal);
      next.done();
      left -= changes;
      replayed += changes;
    }
    this.#replayed += replayed;
    return replayed;
  }

  async #send(contents: readonly Uint8Array[], signal: AbortSignal): Promise<void> {
    const { index, write } = this.#rebuild;
    const documents = contents.map((content) => inIndex(content, index));
    const failures = await write(batchOf(documents), signal);
    for (const { index: position, status, message, undelivered } of failures) {
      if (undelivered === true) {
        throw new HeadraceError('HR_INDEXER_FINISH', `A change of another run cannot be repeated: ${message}`);
      }
      // In the order in which the rebuild comes first, this update would have found no document either.
      if (status === 404 && isUpdate(documents[position] as Buffer)) this.#absent++;
      else if (this.#refused++ === 0) this.#firstRefusal = message;
    }
  }
}

function isUpdate(document: Buffer): boolean {
  return document.toString('latin1', 0, UPDATE.length) === UPDATE;
}

const UPDATE = '{"update"';

function batchOf(documents: readonly Buffer[]): EncodedBatch {
  const lengths = Uint32Array.from(documents, ({ length }) => length);
  const ids = documents.map((_, i) => String(i));
  const pieces = [Buffer.concat(documents)];
  return { count: documents.length, pieces, lengths: () => lengths, ids: () => ids, pipeline: '', origins: () => [] };
}
