import { randomUUID } from 'node:crypto';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { aliasTargets, moveAlias, requireAlias } from './index-alias.ts';
import type { IndexDefinition } from './index-definition.ts';
import { runChecks } from './rebuild-checks.ts';
import {
  ALIVE_MILLIS,
  changeMark,
  isRunning,
  type RebuildMark,
  type RebuiltIndex,
  rebuiltIndices,
  thisProcess,
} from './rebuild-mark.ts';
import { messageOf, ReindexError } from './reindex-error.ts';
import type { FinishedIndex, Json, Log, RebuildPlan } from './types.ts';

/** Settings during the build: without replicas and refreshes, the search engine writes much faster. */
const BUILD_SETTINGS: Json = {
  'index.number_of_replicas': 0,
  'index.auto_expand_replicas': false,
  'index.refresh_interval': -1,
};
/** How long two rebuilds that began together wait until one of them ends. */
const DUEL_ATTEMPTS = 20;
const DUEL_WAIT_MILLIS = 100;

/** The parts of a run that a rebuild needs. */
export interface RebuildOptions {
  readonly plan: RebuildPlan;
  readonly runId: string;
  readonly log: Log;
}

/** Builds a new index for an alias in one run, and moves the alias to it at the end. */
export class Rebuild {
  /** The new index. */
  readonly index: string;
  /**
   * The name that documents are written to: an alias that only the new index has. If the index is removed during the
   * run, writes fail, and the search engine does not create an index with guessed types.
   */
  readonly writeName: string;
  readonly #options: RebuildOptions;
  readonly #alias: string;
  readonly #token = randomUUID();
  readonly #created = new Date();
  #admin: IndexAdmin | undefined;
  #restored: Json = {};
  #heartbeat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: RebuildOptions) {
    this.#options = options;
    this.#alias = options.plan.alias;
    this.index = `${options.plan.base}-${timeName(this.#created)}`;
    this.writeName = `${this.index}-build`;
  }

  /** Removes what earlier rebuilds left, and creates the new index. Throws if another rebuild of the alias is running. */
  async begin(admin: IndexAdmin, definition: IndexDefinition): Promise<void> {
    this.#admin = admin;
    const live = await requireAlias(admin, this.#alias);
    const indices = await this.#indices();
    for (const index of indices) if (!live.has(index.name)) this.#refuseIfRunning(index);
    for (const index of indices) await this.#cleanUp(index, live.has(index.name));
    await this.#create(definition);
    try {
      await this.#beAlone();
      await this.#speedUp();
    } catch (error) {
      await admin.find('DELETE', `/${inPath(this.index)}`);
      throw error;
    }
    this.#heartbeat = setInterval(() => {
      this.#beating = this.#beat();
    }, ALIVE_MILLIS);
    this.#heartbeat.unref();
    this.#options.log.info(`Building the index ${this.index} for the alias ${this.#alias}`);
  }

  /** Checks the new index and moves the alias to it, unless a check fails. Returns the results of the checks. */
  async finish(failed: number, signal: AbortSignal): Promise<FinishedIndex> {
    const admin = this.#admin as IndexAdmin;
    const { plan, log } = this.#options;
    const path = `/${inPath(this.index)}`;
    await admin.ask('POST', `${path}/_refresh`, undefined, signal);
    await admin.ask('PUT', `${path}/_settings`, this.#restored, signal);
    const checks = await runChecks({
      admin,
      index: this.index,
      alias: this.#alias,
      checks: plan.checks,
      failed,
      signal,
    });
    signal.throwIfAborted();
    if (checks.some(({ outcome }) => outcome === 'failed')) return { checks };
    // The alias for writing must still exist: otherwise this index is no longer ours, and nothing moves.
    const remove = { remove: { index: this.index, alias: this.writeName, must_exist: true } };
    const replaced = [...(await moveAlias(admin, this.#alias, this.index, [remove])).keys()].join(', ');
    log.info(`The alias ${this.#alias} points to ${this.index}`);
    await this.#endHeartbeat();
    try {
      await changeMark(admin, this.#marked('building'), { state: 'complete' });
      await this.#prune(plan.keep);
    } catch (error) {
      log.warn(`The next run removes the old indices of ${this.#alias}: ${messageOf(error)}`);
    }
    return { checks, ...(replaced === '' ? {} : { replaced }) };
  }

  /** Marks the index of a failed run, so that the next run removes it. */
  async fail(reason: string): Promise<void> {
    await this.#endHeartbeat();
    const { log } = this.#options;
    log.warn(`The alias ${this.#alias} did not move. The next run removes the index ${this.index}`);
    try {
      await changeMark(this.#admin as IndexAdmin, this.#marked('building'), {
        state: 'failed',
        reason: reason.slice(0, 1000),
      });
    } catch (error) {
      log.warn(`The index ${this.index} cannot be marked as failed: ${messageOf(error)}`);
    }
  }

  #indices(): Promise<RebuiltIndex[]> {
    return rebuiltIndices(this.#admin as IndexAdmin, this.#options.plan.base, this.#alias);
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
    const admin = this.#admin as IndexAdmin;
    const { state, token } = index.mark;
    if (token === this.#token || state === 'complete') return;
    // The run was killed after it had moved the alias.
    if (isLive) return changeMark(admin, index, { state: 'complete' });
    await admin.find('DELETE', `/${inPath(index.name)}`);
    this.#options.log.info(`Removed the index ${index.name}, which a rebuild left (${state})`);
  }

  async #create({ settings, mappings }: IndexDefinition): Promise<void> {
    const admin = this.#admin as IndexAdmin;
    const headrace = this.#marked('building').mark;
    const meta = { ...(mappings._meta as Json | undefined), headrace };
    try {
      await admin.ask('PUT', `/${inPath(this.index)}`, {
        settings,
        mappings: { ...mappings, _meta: meta },
        aliases: { [this.writeName]: {} },
      });
    } catch (error) {
      // An earlier attempt may have created it, without an answer.
      if (!(await this.#indices()).some(({ mark }) => mark.token === this.#token)) throw error;
    }
  }

  /** Waits until no other rebuild that began at the same time exists. One of them ends with an error. */
  async #beAlone(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const live = await aliasTargets(this.#admin as IndexAdmin, this.#alias);
      const others = (await this.#indices()).filter(
        ({ name, mark }) => mark.token !== this.#token && !live.has(name) && isRunning(mark),
      );
      const [first] = others;
      if (first === undefined) return;
      const isFirst = others.every(({ name, mark }) => `${name} ${mark.token}` > `${this.index} ${this.#token}`);
      if (!isFirst || attempt > DUEL_ATTEMPTS) this.#refuseIfRunning(first);
      await new Promise((resolve) => setTimeout(resolve, DUEL_WAIT_MILLIS));
    }
  }

  /** Turns replicas and refreshes off, and remembers the settings that the config or a template gave the index. */
  async #speedUp(): Promise<void> {
    const admin = this.#admin as IndexAdmin;
    const path = `/${inPath(this.index)}/_settings`;
    const answer = await admin.ask<Record<string, { settings: Json }>>('GET', `${path}?flat_settings=true`);
    const settings = answer[this.index]?.settings ?? {};
    this.#restored = Object.fromEntries(Object.keys(BUILD_SETTINGS).map((key) => [key, settings[key] ?? null]));
    await admin.ask('PUT', path, BUILD_SETTINGS);
  }

  async #beat(): Promise<void> {
    try {
      await changeMark(this.#admin as IndexAdmin, this.#marked('building'), {});
    } catch (error) {
      this.#options.log.warn(`The sign of life of the index ${this.index} cannot be stored: ${messageOf(error)}`);
    }
  }

  async #endHeartbeat(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#beating;
  }

  /** Deletes the oldest complete indices that the alias does not point to. */
  async #prune(keep: number): Promise<void> {
    const admin = this.#admin as IndexAdmin;
    const live = await aliasTargets(admin, this.#alias);
    const old = (await this.#indices()).filter(({ name, mark }) => mark.state === 'complete' && !live.has(name));
    for (const { name } of old.slice(keep)) {
      await admin.find('DELETE', `/${inPath(name)}`);
      this.#options.log.info(`Removed the old index ${name}`);
    }
  }

  #marked(state: RebuildMark['state']): RebuiltIndex {
    const mark: RebuildMark = {
      alias: this.#alias,
      run: this.#options.runId,
      token: this.#token,
      state,
      created: this.#created.toISOString(),
      process: thisProcess(),
      alive: new Date().toISOString(),
    };
    return { name: this.index, mark };
  }
}

/**
 * Moves the alias of a config back to the newest complete index that is older than the current one.
 * @param runId the run to undo. Throws if the alias points to the index of another run. Undefined for any run
 */
export async function rollBack(
  admin: IndexAdmin,
  { base, alias }: Pick<RebuildPlan, 'base' | 'alias'>,
  runId?: string,
): Promise<string> {
  const live = await aliasTargets(admin, alias);
  const indices = await rebuiltIndices(admin, base, alias);
  const current = indices.filter(({ name }) => live.has(name));
  const oldest = current.map(({ mark }) => mark.created).toSorted()[0];
  const target = indices.find(
    ({ name, mark }) => mark.state === 'complete' && !live.has(name) && (oldest === undefined || mark.created < oldest),
  );
  if (live.size === 0) throw new ReindexError(`There is no alias ${alias} at ${admin.address}`);
  const from = [...live.keys()].join(', ');
  if (runId !== undefined && !current.some(({ mark }) => mark.run === runId)) {
    const runs = current.map(({ mark }) => ` of the run ${mark.run}`).join(',');
    throw new ReindexError(
      `The alias ${alias} points to ${from}${runs}, not to an index of the run ${runId}`,
      'Only the run whose index is in use can be rolled back.',
    );
  }
  if (target === undefined) {
    throw new ReindexError(
      `There is no index older than ${from} that the alias ${alias} pointed to`,
      'rebuild.keep says how many old indices are kept.',
    );
  }
  await moveAlias(admin, alias, target.name);
  for (const index of current) await changeMark(admin, index, { state: 'rolled-back' });
  return `The alias ${alias} points to ${target.name} again, which replaces ${from}`;
}

/** The UTC time as part of a name: 20260131-142530123. */
function timeName(time: Date): string {
  return time
    .toISOString()
    .replace(/[-:.Z]/g, '')
    .replace('T', '-');
}
