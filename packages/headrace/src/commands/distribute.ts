import { availableParallelism } from 'node:os';
import {
  type PlainConfig,
  PublisherHealth,
  prepareTopics,
  RoleRunner,
  roleConfig,
  withRoleComponents,
} from '@headrace/distributed';
import { createLogger, type LogRecord, type RegistrySource, type RunHandle, readConfigText } from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { CommandError, EXIT } from '../process/exit-code.ts';
import type { DistributedConfig } from './load-distributed.ts';
import { startHealth } from './start-health.ts';

/** A run whose documents are processed by other processes, or by other threads that read from Kafka. */
export interface PublishedRun {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** Call this when the run starts. */
  started(handle: RunHandle): void;
  /** Stops the workers and indexers of this process, and the health endpoint. */
  close(): Promise<void>;
}

export interface DistributeOptions {
  /** Whether this process also processes and indexes the documents. */
  readonly isExternal: boolean;
  /** The port of the health endpoint, if there is one. */
  readonly healthPort: number | undefined;
}

/**
 * Prepares a distributed run: creates its topics and, for `--external`, starts the workers and indexers of this
 * process. Starts the health endpoint before that, because the brokers may not answer yet.
 */
export async function distribute(
  { config, settings, registry, writesFile }: DistributedConfig,
  { isExternal, healthPort }: DistributeOptions,
  launcher: RunLauncher,
  onLog: (record: LogRecord) => void,
  signal: AbortSignal,
): Promise<PublishedRun> {
  const pipelines = pipelinesInUse(config);
  if (isExternal && writesFile && pipelines.length > 1) {
    const message = `--external runs an indexer for each pipeline (${pipelines.join(', ')}), and only one of them could write the file. Run without --external, or use an indexer that sends to a server.`;
    throw new CommandError(message, EXIT.invalid);
  }
  const roles = isExternal ? (['worker', 'indexer'] as const) : [];
  // Publisher, worker and indexer share the processors, so each gets fewer threads.
  const threads = Math.max(1, Math.floor(availableParallelism() / 2));
  const shared = isExternal ? { ...config, worker: { threads, ...(config['worker'] as object | undefined) } } : config;
  const runners = pipelines.flatMap((pipeline) =>
    roles.map((role) => new RoleRunner({ launcher, config: shared, settings, registry, role, pipeline, onLog })),
  );
  const publisher = new PublisherHealth(settings, pipelines);
  const health = await startHealth(healthPort, publisher, runners);
  if (health !== undefined) {
    const message = `The run reports its health on port ${health.port}`;
    onLog({ level: 'info', time: Date.now(), logger: 'headrace', message });
  }
  const closeHealth = async () => {
    await health?.close();
    await publisher.close();
  };
  // While the brokers do not answer, a warning says why.
  const onWaiting = (record: LogRecord) => {
    if (record.level === 'warn') publisher.lastFailure = record.message;
    onLog(record);
  };
  let partitions: ReadonlyMap<string, number>;
  try {
    partitions = await prepareTopics(settings, pipelines, createLogger('headrace', onWaiting), signal);
  } catch (error) {
    await closeHealth();
    throw error;
  }
  const running = runners.map((runner) => runner.run());
  const text = JSON.stringify(roleConfig(shared, 'publisher', '', settings, partitions, isExternal));
  const { root } = readConfigText(text);
  if (root === undefined) throw new Error('The config of the publisher cannot be read');
  return {
    root,
    registry: withRoleComponents(registry),
    started: (handle) => publisher.started(handle),
    close: async () => {
      for (const runner of runners) runner.stop();
      await Promise.all(running);
      await closeHealth();
    },
  };
}

/** Returns the pipelines that connectors feed. */
function pipelinesInUse({ connectors = [] }: PlainConfig): string[] {
  return [...new Set(connectors.flatMap(({ pipeline }) => (typeof pipeline === 'string' ? [pipeline] : [])))];
}
