import { randomUUID } from 'node:crypto';
import { type CheckResult, type FinishedOutput, messageOf } from '@headrace/engine';
import type { LiveChanges } from './live-changes.ts';
import { ALIVE_MILLIS, isRunning, nameOf, type RebuildMark, type RebuiltIndex, thisProcess } from './rebuild-mark.ts';
import type { RebuildTarget } from './rebuild-target.ts';
import { ReindexError } from './reindex-error.ts';
import type { FinishedRun, Log, RebuildPlan } from './types.ts';

/** How long two rebuilds that began together wait until one of them ends. */
const DUEL_ATTEMPTS = 20;
const DUEL_WAIT_MILLIS = 100;

/** How long other runs wait at most until the last changes are replayed and the checks are done. */
const SWITCH_MILLIS = 120_000;

/** The parts of a run that a rebuild needs. */
export interface RebuildOptions {
  readonly plan: RebuildPlan;
  readonly runId: string;
  readonly log: Log;
}

/** The checks of a new index, and what the alias pointed to before. Undefined if it has not moved. */
interface Switch {
  readonly checks: readonly CheckResult[];
  readonly moved?: ReadonlySet<string>;
}

/** Builds a new index for an alias in one run, and moves the alias to it at the end. */
export class Rebuild {
  /** The new index. */
  readonly index: string;
  readonly #options: RebuildOptions;
  readonly #alias: string;
  readonly #token = randomUUID();
  readonly #created = new Date();
  #target: RebuildTarget | undefined;
  #changes: LiveChanges | undefined;
  #sequence = 0;
  #heartbeat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: RebuildOptions) {
    this.#options = options;
    this.#alias = options.plan.alias;
    this.index = nameOf(options.plan.base, this.#created);
  }

  /** Removes what earlier rebuilds left, and creates the new index. Throws if another rebuild of the alias is running. */
  async begin(target: RebuildTarget): Promise<void> {
    this.#target = target;
    const live = await target.requireAlias();
    const indices = await markedIn(target);
    for (const index of indices) if (!live.has(index.name)) this.#refuseIfRunning(index);
    for (const index of indices) await this.#cleanUp(index, live.has(index.name));
    this.#sequence = 1 + Math.max(0, ...indices.map(({ mark }) => mark.sequence));
    await this.#create();
    try {
      await this.#beAlone();
      await target.prepare(this.index);
    } catch (error) {
      await target.remove(this.index);
      throw error;
    }
    this.#heartbeat = setInterval(() => {
      this.#beating = this.#beat();
    }, ALIVE_MILLIS);
    this.#heartbeat.unref();
    this.#options.log.info(`Building the ${target.what} ${this.index} for the alias ${this.#alias}`);
  }

  /** Brings the changes of other runs into the new index, from now on until the alias has moved. */
  follow(changes: LiveChanges): void {
    this.#changes = changes;
  }

  /** Checks the new index and moves the alias to it, unless a check fails. Returns the results of the checks. */
  async finish(run: FinishedRun, signal: AbortSignal): Promise<FinishedOutput> {
    const target = this.#requireTarget();
    const { plan, log } = this.#options;
    const { checks, moved } = await this.#switch(target, run, signal);
    this.#changes?.close();
    if (moved === undefined) return { checks };
    const replaced = [...moved].join(', ');
    try {
      // A rollback waits for the mark: otherwise it could select an index that is being removed.
      await this.#prune(plan.keep);
    } catch (error) {
      log.warn(`The next run removes old versions of ${this.#alias}: ${messageOf(error)}`);
    }
    await this.#endHeartbeat();
    try {
      await target.changeMark(this.#marked('building'), { state: 'complete' });
    } catch (error) {
      log.warn(`The next run marks ${this.index} as complete: ${messageOf(error)}`);
    }
    return { checks, ...(replaced === '' ? {} : { replaced }) };
  }

  /**
   * Checks the new index, and moves the alias unless a check fails. Most of the work is done while other runs write. They
   * wait only for the last changes, for checks whose result these may change, and for the move.
   */
  async #switch(target: RebuildTarget, run: FinishedRun, signal: AbortSignal): Promise<Switch> {
    const changes = this.#changes;
    const check = async (within: AbortSignal) => {
      await target.complete(this.index, within);
      return target.check(this.index, this.#options.plan.checks, run, within);
    };
    await changes?.replay(signal);
    const early = await check(signal);
    signal.throwIfAborted();
    if (hasFailed(early)) return { checks: early };
    if (changes === undefined) return { checks: early, moved: await this.#move(target) };
    const meanwhile = await changes.replay(signal);
    return changes.exclusively(async () => {
      const late = AbortSignal.timeout(SWITCH_MILLIS);
      const within = AbortSignal.any([signal, late]);
      try {
        const replayed = meanwhile + (await changes.replay(within));
        const checks = [...(replayed === 0 ? early : await check(within)), ...(await changes.check())];
        within.throwIfAborted();
        if (hasFailed(checks)) return { checks };
        await changes.moving?.(this.index);
        const moved = await this.#move(target);
        changes.moved?.();
        return { checks: await this.#afterMove(checks, changes), moved };
      } catch (error) {
        if (signal.aborted || !late.aborted) throw error;
        throw new ReindexError(
          `The last changes and the checks took longer than the ${SWITCH_MILLIS / 1000} s that other runs wait for them`,
          'Start the rebuild again when less is written, or make the checks faster.',
        );
      }
    });
  }

  async #move(target: RebuildTarget): Promise<ReadonlySet<string>> {
    const moved = await target.moveToNew(this.index);
    this.#options.log.info(`The alias ${this.#alias} points to ${this.index}`);
    return moved;
  }

  /** Returns the checks, with what others wrote between them and the move of the alias. */
  async #afterMove(checks: readonly CheckResult[], changes: LiveChanges): Promise<readonly CheckResult[]> {
    try {
      const late = await changes.checkMove?.();
      return late === undefined ? checks : [...checks.filter(({ name }) => name !== late.name), late];
    } catch (error) {
      const { log } = this.#options;
      log.warn(`Whether others wrote to the old output just before the alias moved is not known: ${messageOf(error)}`);
      return checks;
    }
  }

  /** Throws an error if somebody has deleted the new index. */
  async requireIndex(errorOf: (message: string) => Error): Promise<void> {
    if (await this.#isThere()) return;
    throw errorOf(`The ${this.#requireTarget().what} ${this.index} was deleted during the run`);
  }

  /** Marks the index of a failed run, so that the next run removes it. */
  async fail(reason: string): Promise<void> {
    this.#changes?.close();
    await this.#endHeartbeat();
    const target = this.#requireTarget();
    const { log } = this.#options;
    try {
      if (!(await this.#isThere())) {
        log.warn(`The alias ${this.#alias} did not move. The ${target.what} ${this.index} was deleted`);
        return;
      }
      log.warn(`The alias ${this.#alias} did not move. The next run removes the ${target.what} ${this.index}`);
      await target.changeMark(this.#marked('building'), { state: 'failed', reason: reason.slice(0, 1000) });
    } catch (error) {
      log.warn(`The ${target.what} ${this.index} cannot be marked as failed: ${messageOf(error)}`);
    }
  }

  /** Returns whether the new index exists. */
  async #isThere(): Promise<boolean> {
    return (await this.#requireTarget().marked()).some(({ mark }) => mark.token === this.#token);
  }

  #requireTarget(): RebuildTarget {
    if (this.#target === undefined) throw new Error('A rebuild must begin first');
    return this.#target;
  }

  #refuseIfRunning({ name, mark }: RebuiltIndex): void {
    if (mark.token === this.#token || !isRunning(mark)) return;
    const { host, pid } = mark.process;
    throw new ReindexError(
      `Another rebuild of ${this.#alias} is running: run ${mark.run} (process ${pid} on ${host}) builds ${name}`,
      'Wait until it has ended. A rebuild that was killed counts as ended after two minutes, or immediately on the same machine.',
    );
  }

  async #cleanUp(index: RebuiltIndex, isLive: boolean): Promise<void> {
    const target = this.#requireTarget();
    const { state, token } = index.mark;
    if (token === this.#token || state === 'complete') return;
    // The request of a killed run that moves the alias may not have been executed yet: it must not meet a removed index.
    if (!isLive) await target.cancelMove?.(index.name);
    // The run was killed after it had moved the alias.
    if (isLive || (await target.live()).has(index.name)) return target.changeMark(index, { state: 'complete' });
    await target.remove(index.name);
    this.#options.log.info(`Removed the ${target.what} ${index.name}, which a rebuild left (${state})`);
  }

  async #create(): Promise<void> {
    const target = this.#requireTarget();
    try {
      await target.create(this.#marked('building'));
    } catch (error) {
      // An earlier attempt may have created it, without an answer.
      if (!(await this.#isThere())) throw error;
    }
  }

  /** Waits until no other rebuild that began at the same time exists. One of them ends with an error. */
  async #beAlone(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const target = this.#requireTarget();
      const live = await target.live();
      const others = (await target.marked()).filter(
        ({ name, mark }) => mark.token !== this.#token && !live.has(name) && isRunning(mark),
      );
      const [first] = others;
      if (first === undefined) return;
      const isFirst = others.every(({ name, mark }) => `${name} ${mark.token}` > `${this.index} ${this.#token}`);
      if (!isFirst || attempt > DUEL_ATTEMPTS) this.#refuseIfRunning(first);
      await new Promise((resolve) => setTimeout(resolve, DUEL_WAIT_MILLIS));
    }
  }

  async #beat(): Promise<void> {
    try {
      await this.#requireTarget().changeMark(this.#marked('building'), {});
    } catch (error) {
      this.#options.log.warn(`The sign of life of ${this.index} cannot be stored: ${messageOf(error)}`);
    }
  }

  async #endHeartbeat(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#beating;
  }

  /** Removes the oldest complete indices that the alias does not point to. */
  async #prune(keep: number): Promise<void> {
    const target = this.#requireTarget();
    const live = await target.live();
    const old = (await markedIn(target)).filter(({ name, mark }) => mark.state === 'complete' && !live.has(name));
    for (const { name } of old.slice(keep)) {
      await target.remove(name);
      this.#options.log.info(`Removed the old ${target.what} ${name}`);
    }
  }

  #marked(state: RebuildMark['state']): RebuiltIndex {
    const mark: RebuildMark = {
      alias: this.#alias,
      run: this.#options.runId,
      token: this.#token,
      state,
      created: this.#created.toISOString(),
      sequence: this.#sequence,
      process: thisProcess(),
      alive: new Date().toISOString(),
    };
    return { name: this.index, mark };
  }
}

/**
 * Moves an alias back to the newest complete index that is older than the current one.
 * @param runId the run to undo. Throws if the alias points to the index of another run. Undefined for any run
 */
export async function rollBack(target: RebuildTarget, alias: string, runId?: string): Promise<string> {
  const live = await target.live();
  const indices = await markedIn(target);
  const current = indices.filter(({ name }) => live.has(name));
  if (live.size === 0) {
    throw new ReindexError(
      `There is no alias ${alias} at ${target.address}`,
      'The first successful run creates it. Check the name and the address if searches already use it.',
    );
  }
  const building = indices.find(({ mark }) => isRunning(mark));
  if (building !== undefined) {
    throw new ReindexError(
      `A rebuild of ${alias} is running: run ${building.mark.run} builds ${building.name}`,
      'Wait until it has ended, or cancel it, and then roll back.',
    );
  }
  const from = [...live].join(', ');
  if (runId !== undefined && !current.some(({ mark }) => mark.run === runId)) {
    const runs = current.map(({ mark }) => ` of the run ${mark.run}`).join(',');
    throw new ReindexError(
      `The alias ${alias} points to ${from}${runs}, not to the one of the run ${runId}`,
      `Only the run whose ${target.what} is in use can be rolled back.`,
    );
  }
  const oldest = Math.min(...current.map(({ mark }) => mark.sequence));
  const older = indices.find(
    ({ name, mark }) => mark.state === 'complete' && !live.has(name) && mark.sequence < oldest,
  );
  if (older === undefined) {
    throw new ReindexError(
      `There is no ${target.what} older than ${from} that the alias ${alias} pointed to`,
      'rebuild.keep says how many old versions are kept.',
    );
  }
  await target.moveBack(older.name);
  for (const index of current) await target.changeMark(index, { state: 'rolled-back' });
  return `The alias ${alias} points to ${older.name} again, which replaces ${from}`;
}

function hasFailed(checks: readonly CheckResult[]): boolean {
  return checks.some(({ outcome }) => outcome === 'failed');
}

/** Returns everything that rebuilds of the alias have made, the newest first. */
async function markedIn(target: RebuildTarget): Promise<RebuiltIndex[]> {
  return (await target.marked()).toSorted((a, b) => b.mark.sequence - a.mark.sequence);
}
