import type { RunHandle } from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { sourceTopic } from '../settings/topics.ts';
import { ConsumerLag, type QueueState } from './consumer-lag.ts';
import { NO_DOCUMENTS, type RoleCounts, type RoleHealth, type RoleState } from './role-health.ts';

/**
 * The health of the process that publishes a run. It also reports the lag of the source topics, which shows how much
 * work waits while no worker is running.
 */
export class PublisherHealth implements RoleHealth {
  readonly name = 'publisher';
  readonly restarts = 0;
  lastFailure: string | undefined;
  readonly #lags: readonly ConsumerLag[];
  #handle: RunHandle | undefined;

  constructor(settings: KafkaSettings, pipelines: readonly string[]) {
    this.#lags = pipelines.map((pipeline) => new ConsumerLag(settings, sourceTopic(settings, pipeline)));
  }

  get state(): RoleState {
    return this.#handle === undefined ? 'starting' : 'running';
  }

  get counts(): RoleCounts {
    return this.#handle?.progress().counts ?? NO_DOCUMENTS;
  }

  /** Call this when the run starts. */
  started(handle: RunHandle): void {
    this.#handle = handle;
  }

  async queue(): Promise<QueueState> {
    const states = await Promise.all(this.#lags.map((lag) => lag.read()));
    const problem = states.find((state) => state.problem !== undefined)?.problem;
    return { lags: states.flatMap(({ lags }) => lags), problem };
  }

  async close(): Promise<void> {
    await Promise.all(this.#lags.map((lag) => lag.close()));
  }
}
