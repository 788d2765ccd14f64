import { type KafkaSettings, settingsToConfig } from '../settings/kafka-settings.ts';
import { destTopic, sourceTopic } from '../settings/topics.ts';

/** The role of a process in a distributed run. */
export type Role = 'publisher' | 'worker' | 'indexer' | 'worker-indexer';

/** A config as plain JSON, with the parts that roles change. */
export interface PlainConfig {
  readonly connectors?: readonly Record<string, unknown>[];
  readonly pipelines?: readonly ({ readonly name?: string } & Record<string, unknown>)[];
  readonly indexer?: Record<string, unknown>;
  readonly [key: string]: unknown;
}

/** The batch size in Lucille's format, in which each document is one message. */
const DOCUMENTS_AT_ONCE = 500;
const WAIT_MILLIS = 10;
/**
 * The number of documents that may wait to be written by the publisher. With several partitions, the documents of one
 * partition wait for each other, so that there are fewer messages. Each message takes up to 1.8 ms of processor time.
 */
const WAITING_FOR_EACH_PARTITION = 5000;
/** The same, if workers and indexers are in the same process. 20,000 documents would take 15 MiB more. */
const WAITING_BESIDE_WORKERS = 500;
const MIN_WAITING = 5000;
const MAX_WAITING = 20_000;

/**
 * Returns the config of the run that a process executes for its role. Other processes execute the rest.
 * @param served for a publisher, the pipelines whose workers and indexers are in the same process
 */
export function roleConfig(
  config: PlainConfig,
  role: Role,
  pipeline: string,
  settings: KafkaSettings,
  served: readonly string[] = [],
): PlainConfig {
  const asConfig = settingsToConfig(settings);
  const batches = settings.format === 'lucille' ? { batchSize: DOCUMENTS_AT_ONCE, batchTimeout: WAIT_MILLIS } : {};
  const { connectors: _, tests: __, kafka: ___, ...rest } = config;
  if (role === 'publisher') {
    const { connectors, pipelines = [], publisher = {}, runner = {}, log = {}, worker = {} } = config;
    const fed = connectors?.flatMap(({ pipeline }) => (typeof pipeline === 'string' ? [pipeline] : []));
    return {
      connectors,
      pipelines: pipelines.map(({ name }) => ({ name, stages: [] })),
      indexer: { class: 'SourceWriter', ...batches },
      sourceWriter: { settings: asConfig, pipelines: [...new Set(fed)], served },
      publisher: { queueCapacity: waitingDocuments(settings, served.length > 0), ...(publisher as object) },
      runner,
      log,
      worker,
    };
  }
  const own = (config.pipelines ?? []).filter(({ name }) => name === pipeline);
  const topic = queueTopic(settings, role, pipeline);
  const reader = {
    class: 'QueueReader',
    name: `${role}-${pipeline}`,
    pipeline,
    settings: asConfig,
    topic,
    queue: pipeline,
    role,
  };
  const shared = { ...rest, connectors: [reader], publisher: {}, runner: { connectorTimeout: 0 } };
  if (role === 'indexer') return { ...shared, pipelines: [{ name: pipeline, stages: [] }] };
  if (role === 'worker-indexer') return { ...shared, pipelines: own };
  const { worker = {}, log = {} } = config;
  return {
    connectors: [reader],
    worker,
    log,
    runner: shared.runner,
    pipelines: own,
    indexer: { class: 'QueueWriter', ...batches },
    queueWriter: { settings: asConfig, pipeline },
  };
}

/**
 * The limit of the documents that wait at the publisher. It is needed before the brokers say how many partitions the
 * topics have, so it uses the setting. From four partitions on it is the maximum. With fewer in the setting than in the
 * topics, messages are smaller.
 */
function waitingDocuments({ partitions }: KafkaSettings, isExternal: boolean): number {
  const forEach = isExternal ? WAITING_BESIDE_WORKERS : WAITING_FOR_EACH_PARTITION;
  return Math.min(MAX_WAITING, Math.max(MIN_WAITING, partitions * forEach));
}

/** The topic that a process reads. */
function queueTopic(settings: KafkaSettings, role: Exclude<Role, 'publisher'>, pipeline: string): string {
  return role === 'indexer' ? destTopic(settings, pipeline) : sourceTopic(settings, pipeline);
}
