import { availableParallelism } from 'node:os';
import { type PlainConfig, PublisherHealth, RoleRunner, roleConfig, withRoleComponents } from '@headrace/distributed';
import { type LogRecord, type RegistrySource, type RunHandle, readConfigText } from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { CommandError, EXIT } from '../process/exit-code.ts';
import type { DistributedConfig } from './load-distributed.ts';
import { startHealth } from './start-health.ts';

/** A thread takes memory, and one thread of messages cannot keep more threads busy. */
const MAX_THREADS = 4;

/** A run whose documents are processed by other processes, or by other threads that read from Kafka. */
export interface PublishedRun {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** Call this when the run starts. */
  started(handle: RunHandle): void;
  /** Must be called for each record that the run logs. */
  logged(record: LogRecord): void;
  /** Stops the workers and indexers of this process, and the health endpoint. */
  close(): Promise<void>;
}

export interface DistributeOptions {
  /** Whether this process also processes and indexes the documents. */
  readonly isExternal: boolean;
  /** The port of the health endpoint, if there is one. */
  readonly healthPort: number | undefined;
}

/** Prepares a distributed run: starts the health endpoint and, for `--external`, the workers and indexers of this process. */
export async function distribute(
  { config, settings, registry, writesFile }: DistributedConfig,
  { isExternal, healthPort }: DistributeOptions,
  launcher: RunLauncher,
  onLog: (record: LogRecord) => void,
): Promise<PublishedRun> {
  const pipelines = pipelinesInUse(config);
  if (isExternal && writesFile && pipelines.length > 1) {
    const message = `--external runs an indexer for each pipeline (${pipelines.join(', ')}), and only one of them could write the file. Run without --external, or use an indexer that sends to a server.`;
    throw new CommandError(message, EXIT.invalid);
  }
  const roles = isExternal ? (['worker', 'indexer'] as const) : [];
  const shared = withThreads(config, isExternal);
  const runners = pipelines.flatMap((pipeline) =>
    roles.map((role) => new RoleRunner({ launcher, config: shared, settings, registry, role, pipeline, onLog })),
  );
  const publisher = new PublisherHealth();
  const health = await startHealth(healthPort, publisher, runners);
  if (health !== undefined) {
    const message = `The run reports its health on port ${health.port}`;
    onLog({ level: 'info', time: Date.now(), logger: 'headrace', message });
  }
  const running = runners.map((runner) => runner.run());
  const text = JSON.stringify(roleConfig(shared, 'publisher', '', settings, isExternal));
  const { root } = readConfigText(text);
  if (root === undefined) throw new Error('The config of the publisher cannot be read');
  return {
    root,
    registry: withRoleComponents(registry),
    started: (handle) => publisher.started(handle),
    logged: (record) => publisher.logged(record),
    close: async () => {
      for (const runner of runners) runner.stop();
      await Promise.all(running);
      await health?.close();
      publisher.close();
    },
  };
}

/**
 * Returns a config with a number of pipeline threads, if it has none. One processor remains for the thread that reads
 * and writes messages. With `--external`, publisher, worker and indexer share the processors.
 */
export function withThreads(config: PlainConfig, isExternal = false): PlainConfig {
  const processors = availableParallelism();
  const threads = Math.max(1, Math.min(MAX_THREADS, isExternal ? Math.floor(processors / 2) : processors - 1));
  return { ...config, worker: { threads, ...(config['worker'] as object | undefined) } };
}

/** Returns the pipelines that connectors feed. */
function pipelinesInUse({ connectors = [] }: PlainConfig): string[] {
  return [...new Set(connectors.flatMap(({ pipeline }) => (typeof pipeline === 'string' ? [pipeline] : [])))];
}
