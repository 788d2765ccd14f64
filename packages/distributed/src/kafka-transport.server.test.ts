import { randomUUID } from 'node:crypto';
import { configToJson } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { type PlainConfig, RoleRunner, readKafkaSettings, roleConfig, withRoleComponents } from './index.ts';
import { defineTransportContract, registry, rootOf } from './transport-contract.test.lib.ts';

await describeWithServer('kafka', (server) => {
  defineTransportContract('Kafka', () => ({
    deliversAgain: true,
    start: async (launcher, text, pipeline) => {
      const kafka = `kafka { bootstrapServers: "${server.url}", consumerGroupId: "${pipeline}", maxPollIntervalSecs: 60
          maxRequestSize: 1000000, partitions: 1 }`;
      const config = JSON.parse(configToJson(rootOf(`${text}\n${kafka}`))) as PlainConfig;
      const { settings } = readKafkaSettings(config);
      if (settings === undefined) throw new Error('The settings are invalid');
      const roles = (['worker', 'indexer'] as const).map(
        (role) => new RoleRunner({ launcher, config, settings, registry, role, pipeline, onLog: () => undefined }),
      );
      const running = roles.map((role) => role.run());
      const publisher = rootOf(JSON.stringify(roleConfig(config, 'publisher', '', settings)));
      const runs = { root: publisher, registry: withRoleComponents(registry), trusted: true };
      const handle = launcher.start({ runId: randomUUID(), ...runs });
      return {
        handle,
        close: async () => {
          handle.stop('CANCELLED');
          await handle.done;
          for (const role of roles) role.stop();
          await Promise.all(running);
        },
      };
    },
  }));
});
