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
  /** The only pipeline whose documents this process processes, with `isExternal`. Undefined for all pipelines. */
  readonly pipeline: string | undefined;
  /** The port of the health endpoint, if there is one. */
  readonly healthPort: number | undefined;
}

/** Prepares a distributed run: starts the health endpoint and, for `--external`, the workers and indexers of this process. */
export async function distribute(
  { config, settings, registry, writesFile }: DistributedConfig,
  { isExternal, pipeline, healthPort }: DistributeOptions,
  launcher: RunLauncher,
  onLog: (record: LogRecord) => void,
): Promise<PublishedRun> {
  const served = isExternal ? servedPipelines(config, pipeline) : [];
  if (writesFile && served.length > 1) {
    const message = `--external runs an indexer for each pipeline (${served.join(', ')}), and only one of them could write the file. Run without --external, or use an indexer that sends to a server.`;
    throw new CommandError(message, EXIT.invalid);
  }
  // One role needs fewer threads than two, and writes nothing to the dest topic. In Lucille's format, other programs may
  // read that topic.
  const roles = settings.format === 'lucille' ? (['worker', 'indexer'] as const) : (['worker-indexer'] as const);
  const shared = withThreads(config, isExternal);
  const common = { launcher, config: shared, settings, registry, continues: false, onLog };
  const runners = served.flatMap((pipeline) => roles.map((role) => new RoleRunner({ ...common, role, pipeline })));
  const publisher = new PublisherHealth();
  const health = await startHealth(healthPort, publisher, runners);
  if (health !== undefined) {
    const message = `The run reports its health on port ${health.port}`;
    onLog({ level: 'info', time: Date.now(), logger: 'headrace', message });
  }
  const running = runners.map((runner) => runner.run());
  const text = JSON.stringify(roleConfig(shared, 'publisher', '', settings, served));
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

/** Returns the pipelines that connectors feed, or the named one of them. */
function servedPipelines({ connectors = [] }: PlainConfig, named: string | undefined): string[] {
  const fed = [...new Set(connectors.flatMap(({ pipeline }) => (typeof pipeline === 'string' ? [pipeline] : [])))];
  if (named === undefined) return fed;
  if (fed.includes(named)) return [named];
  const known = fed.length === 0 ? 'no pipeline' : fed.join(', ');
  throw new CommandError(`--pipeline: no connector feeds ${named}. The connectors feed ${known}.`, EXIT.invalid);
}
