import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createLogger,
  type LogRecord,
  type Notice,
  NoticeCollector,
  namesOf,
  noDocuments,
  type RegistrySource,
  type RunHandle,
  type RunResult,
  readConfigText,
  type StageProgress,
  withHint,
} from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import { HealthQuestions, type ThreadHealth } from '../health/health-channel.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { type PlainConfig, type Role, roleConfig } from './role-config.ts';
import { noHealth, type RoleCounts, type RoleHealth, type RoleState } from './role-health.ts';
import { addStages } from './role-stages.ts';

export interface RoleOptions {
  /** Starts the threads of the role. */
  readonly launcher: RunLauncher;
  /** The checked config, as plain JSON. */
  readonly config: PlainConfig;
  readonly settings: KafkaSettings;
  readonly registry: RegistrySource;
  readonly role: Exclude<Role, 'publisher'>;
  readonly pipeline: string;
  /**
   * Whether an earlier process may have had this role, as for `headrace indexer`. Then the role adds its documents to the
   * output of that process.
   */
  readonly continues: boolean;
  readonly onLog: (record: LogRecord) => void;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** After a run of this length, the wait before a restart is short again. */
const STABLE_MS = 60_000;

/**
 * Executes a role until it is stopped. A run of the engine reads messages until it fails: brokers are away for too
 * long, the destination accepts nothing, or a document ends the thread. Then the next run starts at the committed
 * offsets.
 */
export class RoleRunner implements RoleHealth {
  state: RoleState = 'starting';
  readonly #options: RoleOptions;
  readonly #stopping = new AbortController();
  #handle: RunHandle | undefined;
  #questions: HealthQuestions | undefined;
  /** The totals of the runs that have ended. */
  #before: RoleCounts = noDocuments();
  #stagesBefore: readonly StageProgress[] = [];
  /** The notices of the runs that have ended. */
  readonly #noticed = new NoticeCollector();
  /** The reason why the last run ended, or why the first one has not started. */
  lastFailure: string | undefined;
  /** The number of restarts. */
  restarts = 0;
  /** Why documents in progress were not finished when the role was stopped. Undefined if all were finished. */
  unfinished: string | undefined;

  constructor(options: RoleOptions) {
    this.#options = options;
  }

  get handle(): RunHandle | undefined {
    return this.#handle;
  }

  get name(): string {
    const { role, pipeline } = this.#options;
    return `${role} of pipeline ${pipeline}`;
  }

  /** The numbers of documents in all its runs. */
  get counts(): RoleCounts {
    return this.#handle === undefined ? this.#before : sum(this.#before, this.#handle.progress().counts);
  }

  /** The statistics of the stages in all its runs. */
  get stages(): readonly StageProgress[] {
    return addStages(this.#stagesBefore, this.#handle?.progress().stages ?? []);
  }

  /** The notices in all its runs. */
  get notices(): readonly Notice[] {
    const all = new NoticeCollector();
    all.add(this.#noticed.list());
    all.add(this.#handle?.progress().notices ?? []);
    return all.list();
  }

  async health(): Promise<ThreadHealth> {
    if (this.#questions === undefined || this.state !== 'running') return noHealth(this.lastFailure);
    return this.#questions.ask();
  }

  /** Finishes the messages in progress, and leaves the group. */
  stop(): void {
    this.#stopping.abort();
    this.#handle?.stop('CANCELLED');
  }

  /** Resolves with the last result when the role has stopped. A config that cannot run stops the role immediately. */
  async run(): Promise<RunResult | undefined> {
    const { onLog } = this.#options;
    const { signal } = this.#stopping;
    const log = createLogger('headrace', onLog);
    let wait = FIRST_WAIT_MS;
    let result: RunResult | undefined;
    while (!signal.aborted) {
      const started = performance.now();
      result = await this.#runOnce();
      if (signal.aborted) {
        this.unfinished = unfinishedIn(result);
        break;
      }
      if (isInvalid(result)) {
        this.state = 'failed';
        return result;
      }
      if (performance.now() - started > STABLE_MS) wait = FIRST_WAIT_MS;
      const reason = result.problems.find(({ severity }) => severity === 'error');
      this.lastFailure = withHint(reason ?? { message: result.message });
      this.state = 'restarting';
      this.restarts++;
      log.warn(
        `The ${this.name} ended: ${this.lastFailure} It starts again in ${wait / 1000} s and processes the unfinished messages again`,
      );
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      wait = Math.min(MAX_WAIT_MS, wait * 2);
    }
    this.state = 'stopped';
    return result;
  }

  async #runOnce(): Promise<RunResult> {
    const { launcher, config, role, pipeline, settings, registry, continues, onLog } = this.#options;
    const { root } = readConfigText(JSON.stringify(roleConfig(config, role, pipeline, settings)), {
      env: {},
    });
    if (root === undefined) throw new Error('The config of the role cannot be read');
    const runId = randomUUID();
    this.#questions = new HealthQuestions(runId, () => {
      this.state = 'running';
      this.lastFailure = undefined;
    });
    // While the role starts, warnings say what it waits for: brokers, the group or the destination.
    const onRoleLog = (record: LogRecord) => {
      // The runs of a role are a detail: "Aborting run" would say that the whole run ends.
      if (record.logger === 'runner' || isProcessedAgain(record)) return;
      if (this.state !== 'running' && record.level === 'warn') this.lastFailure = record.message;
      onLog(record);
    };
    // The offsets of documents that have succeeded may be committed: they are not read again.
    const keepsOutput = continues || this.#before.succeeded > 0;
    this.#handle = launcher.start(
      { runId, root, registry: withRoleComponents(registry), trusted: true, continues: keepsOutput },
      { onLog: onRoleLog },
    );
    try {
      const result = await this.#handle.done;
      this.#noticed.add(result.notices);
      return result;
    } finally {
      this.#before = this.counts;
      this.#stagesBefore = this.stages;
      this.#handle = undefined;
      this.#questions.close();
      this.#questions = undefined;
    }
  }
}

function sum(a: RoleCounts, b: RoleCounts): RoleCounts {
  const total = { ...a };
  for (const name of namesOf(total)) total[name] += b[name];
  return total;
}

/** The modules with the components of the config and of the roles. */
export function withRoleComponents(registry: RegistrySource): RegistrySource {
  // Tests run the sources, where the file has another extension.
  const module = new URL(`../components/role-components${extname(import.meta.url)}`, import.meta.url).href;
  return { ...registry, modules: [...registry.modules, module] };
}

/** Returns why a stopped run has left documents unfinished, or undefined if it has not. */
function unfinishedIn({ connectors, problems }: RunResult): string | undefined {
  // The thread of the run was ended, or lost, before it could report anything.
  const lost = problems.find(({ code = '' }) => THREAD_ENDED.has(code));
  return connectors.find(({ message }) => message !== undefined)?.message ?? lost?.message;
}

const THREAD_ENDED: ReadonlySet<unknown> = new Set(['HR_RUN_CANCELLED', 'HR_RUN_THREAD_LOST', 'HR_RUN_OUT_OF_MEMORY']);

/** Returns whether a record reports a document as failed that was in progress when a thread ended. A dead letter has failed. */
function isProcessedAgain({ fields: { id, at, code } = {} }: LogRecord): boolean {
  return id !== undefined && at !== 'worker' && (THREAD_ENDED.has(code) || code === 'HR_PIPELINE_THREAD_LOST');
}

function isInvalid({ status, connectors, problems }: RunResult): boolean {
  const isConfig = problems.some(({ severity, code }) => severity === 'error' && code.startsWith('HR_CONFIG_'));
  return status === 'FAILED' && connectors.length === 0 && isConfig;
}
