import { randomUUID } from 'node:crypto';
import { configToJson } from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer } from '@headrace/testing/real-server';
import {
  type KafkaSettings,
  type PlainConfig,
  RoleRunner,
  readKafkaSettings,
  roleConfig,
  withRoleComponents,
} from './index.ts';
import {
  type CarriedRun,
  defineTransportContract,
  registry,
  rootOf,
  type Transport,
} from './transport-contract.test.lib.ts';

await describeWithServer('kafka', (server) => {
  defineTransportContract('Kafka', () => new KafkaTransport(() => server.url));
});

/** The queues of Kafka. A worker and an indexer serve all runs. */
class KafkaTransport implements Transport {
  readonly deliversAgain = true;
  readonly #url: () => string;
  #roles: RoleRunner[] = [];
  #running: Promise<unknown>[] = [];

  constructor(url: () => string) {
    this.#url = url;
  }

  start(launcher: RunLauncher, text: string, pipeline: string): CarriedRun {
    const kafka = `kafka { bootstrapServers: "${this.#url()}", consumerGroupId: "${pipeline}", maxPollIntervalSecs: 60
      maxRequestSize: 1000000, partitions: 1, consumer { heartbeat.interval.ms: 100 } }`;
    const whole = rootOf(`${text}\n${kafka}`);
    const config = JSON.parse(configToJson(whole)) as PlainConfig;
    const { settings } = readKafkaSettings(whole);
    if (settings === undefined) throw new Error('The settings are invalid');
    if (this.#roles.length === 0) this.#serve(launcher, config, settings, pipeline);
    const root = rootOf(JSON.stringify(roleConfig(config, 'publisher', '', settings)));
    const handle = launcher.start({
      runId: randomUUID(),
      root,
      registry: withRoleComponents(registry),
      trusted: true,
    });
    return {
      handle,
      close: async () => {
        handle.stop('CANCELLED');
        await handle.done;
      },
    };
  }

  async close(): Promise<void> {
    for (const role of this.#roles) role.stop();
    await Promise.all(this.#running);
  }

  #serve(launcher: RunLauncher, config: PlainConfig, settings: KafkaSettings, pipeline: string): void {
    const common = { launcher, config, settings, registry, pipeline, continues: false, onLog: () => undefined };
    this.#roles = (['worker', 'indexer'] as const).map((role) => new RoleRunner({ ...common, role }));
    this.#running = this.#roles.map((role) => role.run());
  }
}
