import { MAX_MILLIS } from '../component/max-millis.ts';
import { capped, clamped, NO_EFFECT, type Static, Type } from '../component/schema.ts';

/**
 * The number of threads that a pipeline may have. Each thread takes memory. More threads than processors only help
 * stages that wait.
 */
export const MAX_THREADS = 64;

const MAX_SECONDS = Math.floor(MAX_MILLIS / 1000);

const OLDER = 'Accepted for compatibility with older configs; it has no effect.';

/** The blocks of a config that set the engine itself, by their key. An unknown key in them is an error. */
export const engineBlocks = {
  worker: Type.Object({
    threads: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_THREADS,
        ...capped('maxThreads'),
        description: 'How many threads run the stages. Defaults to what the machine has, at most 4.',
      }),
    ),
    pipeline: Type.Optional(Type.String({ ...NO_EFFECT, description: OLDER })),
    maxProcessingSecs: Type.Optional(
      Type.Integer({
        default: 60,
        minimum: 1,
        ...clamped({ maximum: MAX_SECONDS }),
        ...capped('maxProcessingSecs'),
        description:
          'How many seconds the stages may compute on one document before it fails; waiting for servers is not counted.',
      }),
    ),
    exitOnTimeout: Type.Optional(Type.Boolean({ default: false, ...NO_EFFECT, description: OLDER })),
    maxRetries: Type.Optional(Type.Integer({ ...NO_EFFECT, description: OLDER })),
    enableHeartbeat: Type.Optional(Type.Boolean({ default: false, ...NO_EFFECT, description: OLDER })),
  }),
  publisher: Type.Object({
    queueCapacity: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 10_000,
        ...capped('maxQueuedDocs'),
        description: 'How many documents may wait between the connector and the stages.',
      }),
    ),
    maxPendingDocs: Type.Optional(
      Type.Integer({
        ...capped('maxQueuedDocs'),
        description: 'A connector waits while so many documents are on their way. Defaults to no limit.',
      }),
    ),
  }),
  runner: Type.Object({
    connectorTimeout: Type.Optional(
      Type.Integer({
        ...clamped({ maximum: MAX_MILLIS }),
        ...capped('maxRunSecs', { scale: 1000, unlimitedUpTo: 0 }),
        description:
          'How many milliseconds a connector may take, with all its documents; 0 for no limit. Defaults to 86400000 (a day), and to no limit for a connector that is meant to run until it is stopped.',
      }),
    ),
    maxFailures: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
        description:
          'How many documents of a run may fail: a number (100), or a percentage of all documents ("5%"), which is checked from 1000 documents on and at the end. When more fail, the run stops and is FAILED. Defaults to no limit.',
      }),
    ),
    metricsLoggingLevel: Type.Optional(Type.String({ default: 'DEBUG', ...NO_EFFECT, description: OLDER })),
  }),
  log: Type.Object({
    seconds: Type.Optional(
      Type.Integer({
        ...clamped({ minimum: 1, maximum: MAX_SECONDS }),
        default: 30,
        description: 'How often a run logs how far it is, in seconds.',
      }),
    ),
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
    metadataMaxAgeMs: Type.Optional(Type.Number({ default: 30_000 })),
    events: Type.Optional(Type.Boolean({ default: true })),
    sourceTopic: Type.Optional(Type.String()),
    eventTopic: Type.Optional(Type.String()),
    documentSerializer: Type.Optional(Type.String()),
    documentDeserializer: Type.Optional(Type.String()),
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
