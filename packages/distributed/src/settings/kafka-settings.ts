import { readFileSync } from 'node:fs';
import { brokersOf } from '@headrace/components/kafka';
import {
  checkParameters,
  configToJson,
  engineBlocks,
  hasErrors,
  type KafkaBlock,
  MapOf,
  messageOf,
  OneOf,
  type Problem,
  type Static,
  Type,
  type WorkerSettings,
} from '@headrace/engine';
import { type ObjectNode, parse } from '@headrace/hocon';
import { configIdentity, configIdentitySchema } from './config-identity.ts';

/** What a distributed run takes from its config. The components of the roles have it as the parameter `settings`. */
export const kafkaSettings = Type.Object({
  bootstrapServers: Type.String(),
  groupId: Type.String(),
  /** Which config this is. Messages of other configs are refused. */
  identity: configIdentitySchema,
  /** How long a member may take to join again during a rebalance, in milliseconds. */
  rebalanceTimeout: Type.Number(),
  /** The maximum size of a request, in bytes. */
  maxRequestSize: Type.Number(),
  /** The properties of the clients. */
  consumer: MapOf(Type.String()),
  producer: MapOf(Type.String()),
  admin: MapOf(Type.String()),
  /** Whether workers and indexers report the results of documents. */
  events: Type.Boolean(),
  /** The two formats of messages: Headrace's batches, or one document per message as in Lucille. */
  format: OneOf(['headrace', 'lucille']),
  sourceTopic: Type.Optional(Type.String()),
  eventTopic: Type.Optional(Type.String()),
  /** The number of partitions of new topics. */
  partitions: Type.Integer(),
  /** How long a run waits while no document finishes, in seconds. 0 means no limit. */
  stallTimeoutSecs: Type.Number(),
  /** How often a message that kills its worker is processed again. */
  maxRetries: Type.Integer(),
});

export type KafkaSettings = Static<typeof kafkaSettings>;

/** Returns the settings as plain JSON, for the config of a role. */
export function settingsToConfig(settings: KafkaSettings): Record<string, unknown> {
  const { consumer, producer, admin } = settings;
  return {
    ...settings,
    consumer: Object.fromEntries(consumer),
    producer: Object.fromEntries(producer),
    admin: Object.fromEntries(admin),
  };
}

const CLIENTS = ['consumer', 'producer', 'admin'] as const;

/**
 * Reads the block `kafka` of a resolved config, and `worker.maxRetries`. Also reads the property files that it names.
 * Returns all problems of the block. The settings are undefined if one of them is an error.
 * @param indexerBlock the name of the block with the parameters of the indexer, if it is known
 */
export function readKafkaSettings(
  root: ObjectNode,
  indexerBlock?: string,
): { settings: KafkaSettings | undefined; problems: Problem[] } {
  const block = root.entries.get('kafka');
  if (block?.kind !== 'object') {
    const message = 'A distributed run needs the block kafka';
    const hint =
      'kafka { bootstrapServers: "localhost:9092", consumerGroupId: ingest, maxPollIntervalSecs: 300, maxRequestSize: 1000000 }';
    return { settings: undefined, problems: [problemOf({ path: 'kafka', message, hint })] };
  }
  const { value, problems } = checkParameters(engineBlocks.kafka, block, 'kafka');
  const kafka = value as Partial<KafkaBlock>;
  problems.push(...mistakesIn(kafka));
  const properties = readProperties(kafka, problems);
  if (hasErrors(problems)) return { settings: undefined, problems };
  return { settings: settingsOf(kafka as KafkaBlock, properties, root, indexerBlock), problems };
}

function settingsOf(
  kafka: KafkaBlock,
  properties: Record<(typeof CLIENTS)[number], ReadonlyMap<string, string>>,
  root: ObjectNode,
  indexerBlock: string | undefined,
): KafkaSettings {
  const { bootstrapServers, consumerGroupId: groupId, configId, sourceTopic, eventTopic } = kafka;
  const { maxPollIntervalSecs, maxRequestSize, events, documentFormat, partitions, stallTimeoutSecs } = kafka;
  const config = JSON.parse(configToJson(root)) as Record<string, unknown>;
  return {
    bootstrapServers,
    groupId,
    identity: configIdentity(config, groupId, configId, indexerBlock),
    rebalanceTimeout: maxPollIntervalSecs * 1000,
    maxRequestSize,
    ...properties,
    events,
    format: documentFormat,
    ...(sourceTopic === undefined ? {} : { sourceTopic }),
    ...(eventTopic === undefined ? {} : { eventTopic }),
    partitions,
    stallTimeoutSecs,
    maxRetries: maxRetriesOf(root),
  };
}

/** The check of the config reports mistakes in the block `worker`. */
function maxRetriesOf(root: ObjectNode): number {
  const worker = root.entries.get('worker');
  const block: ObjectNode =
    worker?.kind === 'object' ? worker : { kind: 'object', entries: new Map(), keys: new Map(), origin: root.origin };
  return (checkParameters(engineBlocks.worker, block, 'worker').value as WorkerSettings).maxRetries;
}

/** Finds what the schema of the block cannot express. */
function mistakesIn(kafka: Partial<KafkaBlock>): Problem[] {
  const problems: Problem[] = [];
  const { bootstrapServers, consumerGroupId, configId, documentFormat, sourceTopic } = kafka;
  for (const [name, value] of Object.entries({ bootstrapServers, consumerGroupId, configId })) {
    if (value === undefined || value.trim() !== '') continue;
    const path = `kafka.${name}`;
    const hint =
      name === 'configId'
        ? 'Write a name that no other config on these brokers has, or remove it.'
        : 'Write its value between the quotes.';
    problems.push(problemOf({ path, message: `${path} is empty`, hint }));
  }
  if (documentFormat === 'lucille' && sourceTopic === undefined) {
    problems.push({
      severity: 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: 'kafka.documentFormat',
      message:
        "Topics of Lucille's format are named after the pipeline only, and its messages do not say to which config they belong: two configs with the same pipeline name on these brokers mix their documents",
      hint: 'Give each config other pipeline names. With the format headrace, topics and messages have the name of the config.',
    });
  }
  for (const name of ['documentSerializer', 'documentDeserializer'] as const) {
    const value = kafka[name];
    if (value === undefined || /(^|\.)KafkaDocument(Des|S)erializer$/.test(value)) continue;
    const message = `kafka.${name} names the Java class ${value}, which cannot run here`;
    const hint = "Remove it. For Lucille's format, set kafka.documentFormat: lucille.";
    problems.push(problemOf({ path: `kafka.${name}`, message, hint }));
  }
  const brokers = (bootstrapServers ?? '').trim();
  if (brokers !== '' && brokersOf(brokers).some((broker) => !/:\d+$/.test(broker))) {
    const path = 'kafka.bootstrapServers';
    const message = `${path} must name hosts and ports, was "${brokers}"`;
    problems.push(problemOf({ path, message, hint: 'Write host:port pairs, such as broker1:9092,broker2:9092.' }));
  }
  return problems;
}

/** Returns the properties of the clients: of the whole block, of the property file, and of the block of the client. */
function readProperties(
  kafka: Partial<KafkaBlock>,
  problems: Problem[],
): Record<(typeof CLIENTS)[number], ReadonlyMap<string, string>> {
  const of = (kind: (typeof CLIENTS)[number]) => {
    const all = new Map<string, string>();
    const { securityProtocol, metadataMaxAgeMs } = kafka;
    if (securityProtocol !== undefined) all.set('security.protocol', securityProtocol);
    if (kind === 'consumer' && metadataMaxAgeMs !== undefined) all.set('metadata.max.age.ms', String(metadataMaxAgeMs));
    const file = kafka[`${kind}PropertyFile`];
    if (file !== undefined) problems.push(...readPropertyFile(file, `kafka.${kind}PropertyFile`, all));
    flatten(kafka[kind], '', all);
    return all;
  };
  return { consumer: of('consumer'), producer: of('producer'), admin: of('admin') };
}

function readPropertyFile(file: string, path: string, into: Map<string, string>): Problem[] {
  try {
    const { value, problems } = parse(readFileSync(file, 'utf8'), { format: 'properties', file });
    flatten(value, '', into);
    return problems.map(({ message, hint = 'Write name=value.', line }) =>
      problemOf({ path, message: `The property file ${file}, line ${line}: ${message}`, hint }),
    );
  } catch (error) {
    const message = `The property file ${file} cannot be read: ${messageOf(error)}`;
    return [problemOf({ path, message, hint: 'Name a local file.' })];
  }
}

function problemOf(mistake: Pick<Problem, 'path' | 'message' | 'hint'>): Problem {
  return { severity: 'error', code: 'HR_CONFIG_INVALID_VALUE', ...mistake };
}

/** Adds the properties of nested objects by their dotted names. */
function flatten(value: unknown, prefix: string, into: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of value instanceof Map ? value : Object.entries(value)) {
    if (typeof member === 'object' && member !== null) flatten(member, `${prefix}${name}.`, into);
    else if (member !== null) into.set(prefix + name, String(member));
  }
}
