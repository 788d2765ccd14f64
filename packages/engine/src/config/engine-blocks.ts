import { MAX_MILLIS } from '../component/max-millis.ts';
import { capped, clamped, MapOf, NO_EFFECT, type Static, Type } from '../component/schema.ts';

/**
 * The maximum number of threads of a pipeline. Each thread needs memory, and more threads than processors only help
 * stages that wait.
 */
export const MAX_THREADS = 64;

const MAX_SECONDS = Math.floor(MAX_MILLIS / 1000);

const OLDER = 'Accepted for compatibility with older configs; it has no effect.';

/** The schemas of the config blocks that configure the engine, by key. An unknown key in such a block is an error. */
export const engineBlocks = {
  worker: Type.Object({
    threads: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_THREADS,
        ...capped('maxThreads'),
        description: 'The number of threads that run the stages. Defaults to the number of processors, but at most 4.',
      }),
    ),
    pipeline: Type.Optional(
      Type.String({
        description: 'Only for distributed runs: the pipeline of headrace worker if --pipeline is missing.',
      }),
    ),
    maxProcessingSecs: Type.Integer({
      default: 60,
      minimum: 1,
      ...clamped({ maximum: MAX_SECONDS }),
      ...capped('maxProcessingSecs'),
      description:
        'The maximum processing time of one document in seconds. Waiting for servers does not count. A document that exceeds the limit fails.',
    }),
    exitOnTimeout: Type.Boolean({ default: false, ...NO_EFFECT, description: OLDER }),
    maxRetries: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Only for distributed runs: how often a message is tried again alone after it has ended its worker. Then its documents go to the dead-letter topic. Defaults to 3.',
      }),
    ),
    enableHeartbeat: Type.Boolean({ default: false, ...NO_EFFECT, description: OLDER }),
  }),
  publisher: Type.Object({
    queueCapacity: Type.Integer({
      minimum: 1,
      default: 10_000,
      ...capped('maxQueuedDocs'),
      description: 'The maximum number of documents that wait between the connector and the stages.',
    }),
    maxPendingDocs: Type.Optional(
      Type.Integer({
        ...capped('maxQueuedDocs'),
        description:
          'The maximum number of unfinished documents of a connector. The connector waits when it reaches the limit. Defaults to no limit.',
      }),
    ),
  }),
  runner: Type.Object({
    connectorTimeout: Type.Optional(
      Type.Integer({
        ...clamped({ maximum: MAX_MILLIS }),
        ...capped('maxRunSecs', { scale: 1000, unlimitedUpTo: 0 }),
        description:
          'The maximum time of a connector and all its documents in milliseconds; 0 means no limit. Defaults to 86400000 (one day). A connector that runs until it is stopped has no limit by default.',
      }),
    ),
    maxFailures: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
        description:
          'The maximum number of documents that may fail: a number (100) or a percentage of all documents ("5%"). A percentage is checked after the first 1000 documents and at the end. If more documents fail, the run stops with the status FAILED. Defaults to no limit.',
      }),
    ),
    notices: Type.Optional(
      MapOf(Type.Unknown(), {
        description:
          'What happens to notices, by class (loss, changed, suspect) or code: fail, warn, ignore, or a limit such as { max: 10 } or { maxPercent: 0.1 }. A code without a rule has that of its class. Defaults to warn.',
      }),
    ),
    metricsLoggingLevel: Type.String({ default: 'DEBUG', ...NO_EFFECT, description: OLDER }),
  }),
  log: Type.Object({
    seconds: Type.Integer({
      ...clamped({ minimum: 1, maximum: MAX_SECONDS }),
      default: 30,
      description: 'The interval in seconds at which a run logs its progress.',
    }),
  }),
  zookeeper: Type.Object({
    connectString: Type.String(),
  }),
  kafka: Type.Object({
    bootstrapServers: Type.String(),
    consumerGroupId: Type.String(),
    maxPollIntervalSecs: Type.Number(),
    maxRequestSize: Type.Number(),
    securityProtocol: Type.Optional(Type.String()),
    metadataMaxAgeMs: Type.Number({ default: 30_000 }),
    events: Type.Boolean({ default: true }),
    configId: Type.Optional(Type.String()),
    sourceTopic: Type.Optional(Type.String()),
    eventTopic: Type.Optional(Type.String()),
    documentSerializer: Type.Optional(Type.String()),
    documentDeserializer: Type.Optional(Type.String()),
    documentFormat: Type.Optional(Type.String()),
    partitions: Type.Optional(Type.Integer({ minimum: 1 })),
    stallTimeoutSecs: Type.Optional(Type.Number({ minimum: 0 })),
    consumerPropertyFile: Type.Optional(Type.String()),
    producerPropertyFile: Type.Optional(Type.String()),
    adminPropertyFile: Type.Optional(Type.String()),
    consumer: Type.Optional(Type.Unknown()),
    producer: Type.Optional(Type.Unknown()),
    admin: Type.Optional(Type.Unknown()),
  }),
} as const;

export type WorkerSettings = Static<typeof engineBlocks.worker>;
export type PublisherSettings = Static<typeof engineBlocks.publisher>;
export type RunnerSettings = Static<typeof engineBlocks.runner>;
export type LogSettings = Static<typeof engineBlocks.log>;
