import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createLogger,
  type LogRecord,
  type RegistrySource,
  type RunHandle,
  type RunResult,
  readConfigText,
} from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { prepareTopics } from './prepare-topics.ts';
import { type PlainConfig, type Role, roleConfig } from './role-config.ts';

export interface RoleOptions {
  /** Starts the threads of the role. */
  readonly launcher: RunLauncher;
  /** The checked config, as plain JSON. */
  readonly config: PlainConfig;
  readonly settings: KafkaSettings;
  readonly registry: RegistrySource;
  readonly role: Exclude<Role, 'publisher'>;
  readonly pipeline: string;
  readonly onLog: (record: LogRecord) => void;
}

/** The state of a role, for health checks. */
export type RoleState = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed';

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** After a run of this length, the wait before a restart is short again. */
const STABLE_MS = 60_000;

/**
 * Executes a role until it is stopped. A run of the engine reads messages until it fails: brokers are away for too
 * long, the destination accepts nothing, or a document ends the thread. Then the next run starts at the committed
 * offsets.
 */
export class RoleRunner {
  state: RoleState = 'starting';
  readonly #options: RoleOptions;
  readonly #stopping = new AbortController();
  #handle: RunHandle | undefined;
  /** The result of the last run. */
  lastFailure: string | undefined;
  /** The number of restarts. */
  restarts = 0;

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

  /** Finishes the messages in progress, and leaves the group. */
  stop(): void {
    this.#stopping.abort();
    this.#handle?.stop('CANCELLED');
  }

  /** Resolves with the last result when the role has stopped. A config that cannot run stops the role immediately. */
  async run(): Promise<RunResult | undefined> {
    const { onLog, settings, pipeline } = this.#options;
    const { signal } = this.#stopping;
    const log = createLogger('headrace', onLog);
    let wait = FIRST_WAIT_MS;
    let result: RunResult | undefined;
    while (!signal.aborted) {
      const partitions = await prepareTopics(settings, [pipeline], log, signal);
      const started = Date.now();
      result = await this.#runOnce(partitions);
      if (signal.aborted) break;
      if (isInvalid(result)) {
        this.state = 'failed';
        return result;
      }
      if (Date.now() - started > STABLE_MS) wait = FIRST_WAIT_MS;
      const reason = result.problems.find(({ severity }) => severity === 'error');
      this.lastFailure = reason?.message ?? result.message;
      this.state = 'restarting';
      this.restarts++;
      log.warn(
        `The ${this.name} ended: ${this.lastFailure}. It starts again in ${wait / 1000} s and processes the unfinished messages again`,
      );
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      wait = Math.min(MAX_WAIT_MS, wait * 2);
    }
    this.state = 'stopped';
    return result;
  }

  async #runOnce(partitions: ReadonlyMap<string, number>): Promise<RunResult> {
    const { launcher, config, role, pipeline, settings, registry, onLog } = this.#options;
    const { root } = readConfigText(JSON.stringify(roleConfig(config, role, pipeline, settings, partitions)), {
      env: {},
    });
    if (root === undefined) throw new Error('The config of the role cannot be read');
    this.#handle = launcher.start(
      { runId: randomUUID(), root, registry: withRoleComponents(registry), trusted: true },
      { onLog },
    );
    this.state = 'running';
    return this.#handle.done;
  }
}

/** The modules with the components of the config and of the roles. */
export function withRoleComponents(registry: RegistrySource): RegistrySource {
  // Tests run the sources, where the file has another extension.
  const module = new URL(`../components/role-components${extname(import.meta.url)}`, import.meta.url).href;
  return { ...registry, modules: [...registry.modules, module] };
}

function isInvalid({ status, connectors, problems }: RunResult): boolean {
  const isConfig = problems.some(({ severity, code }) => severity === 'error' && code.startsWith('HR_CONFIG_'));
  return status === 'FAILED' && connectors.length === 0 && isConfig;
}
