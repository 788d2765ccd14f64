import { readFileSync } from 'node:fs';
import { brokersOf } from '@headrace/components/kafka';
import { type ErrorCode, messageOf } from '@headrace/engine';
import { parse } from '@headrace/hocon';
import { type ConfigIdentity, configIdentity } from './config-identity.ts';

/** The two formats of messages: Headrace's batches, or one document per message as in Lucille. */
export type DocumentFormat = 'headrace' | 'lucille';

/**
 * The `kafka` block of a config, for distributed runs. Plain data, because the config of a role contains it as JSON.
 */
export interface KafkaSettings {
  readonly bootstrapServers: string;
  readonly groupId: string;
  /** Which config this is. Messages of other configs are refused. */
  readonly identity: ConfigIdentity;
  /** How long a member may take to join again during a rebalance, in milliseconds. */
  readonly rebalanceTimeout: number;
  /** The maximum size of a request, in bytes. */
  readonly maxRequestSize: number;
  readonly consumer: Readonly<Record<string, string>>;
  readonly producer: Readonly<Record<string, string>>;
  readonly admin: Readonly<Record<string, string>>;
  /** Whether workers and indexers report the results of documents. */
  readonly events: boolean;
  readonly format: DocumentFormat;
  readonly sourceTopic: string | undefined;
  readonly eventTopic: string | undefined;
  /** The number of partitions of new topics. */
  readonly partitions: number;
  /** How long a run waits while no document finishes, in seconds. 0 means no limit. */
  readonly stallTimeoutSecs: number;
  /** How often a message that kills its worker is processed again. */
  readonly maxRetries: number;
}

/** A problem of the `kafka` block: the path of the setting, a message and a hint. */
export interface SettingProblem {
  /** Absent for an error. */
  readonly severity?: 'warning';
  /** Defaults to `HR_CONFIG_INVALID_VALUE`, for a warning to `HR_CONFIG_UNUSED`. */
  readonly code?: ErrorCode;
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const DEFAULT_PARTITIONS = 4;
const DEFAULT_RETRIES = 3;

/**
 * Reads the `kafka` block of a resolved config, and `worker.maxRetries`. Also reads the property files that it names.
 * @param config the config as plain JSON
 * @param indexerBlock the name of the block with the parameters of the indexer, if it is known
 */
export function readKafkaSettings(
  config: unknown,
  indexerBlock?: string,
): {
  settings: KafkaSettings | undefined;
  problems: SettingProblem[];
} {
  const { kafka, worker } = config as { kafka?: Record<string, unknown>; worker?: Record<string, unknown> };
  const problems: SettingProblem[] = [];
  if (kafka === undefined || kafka === null || typeof kafka !== 'object') {
    const message = 'A distributed run needs the block kafka';
    const hint =
      'kafka { bootstrapServers: "localhost:9092", consumerGroupId: ingest, maxPollIntervalSecs: 300, maxRequestSize: 1000000 }';
    return { settings: undefined, problems: [{ path: 'kafka', message, hint }] };
  }
  const text = (name: string) => (kafka[name] === undefined || kafka[name] === null ? undefined : String(kafka[name]));
  const number = (name: string, fallback: number, least: number) => {
    const value = text(name) === undefined ? fallback : Number(text(name));
    if (Number.isFinite(value) && value >= least) return value;
    const message = `kafka.${name} must be a number of at least ${least}, was "${text(name)}"`;
    problems.push({ path: `kafka.${name}`, message, hint: `For example ${fallback}.` });
    return fallback;
  };
  for (const name of ['bootstrapServers', 'consumerGroupId']) {
    if ((text(name) ?? '').trim() !== '') continue;
    problems.push({ path: `kafka.${name}`, message: `kafka.${name} is missing`, hint: 'Add it to the block kafka.' });
  }
  const format = text('documentFormat') ?? 'headrace';
  if (format !== 'headrace' && format !== 'lucille') {
    const message = `kafka.documentFormat must be headrace or lucille, was "${format}"`;
    const hint = 'Use lucille for runs with Java workers or indexers. The format headrace is many times as fast.';
    problems.push({ path: 'kafka.documentFormat', message, hint });
  }
  if (text('configId')?.trim() === '') {
    const hint = 'Write a name that no other config on these brokers has, or remove it.';
    problems.push({ path: 'kafka.configId', message: 'kafka.configId is empty', hint });
  }
  if (format === 'lucille' && text('sourceTopic') === undefined) {
    problems.push({
      severity: 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: 'kafka.documentFormat',
      message:
        "Topics of Lucille's format are named after the pipeline only, and its messages do not say to which config they belong: two configs with the same pipeline name on these brokers mix their documents",
      hint: 'Give each config other pipeline names. With the format headrace, topics and messages have the name of the config.',
    });
  }
  for (const name of ['documentSerializer', 'documentDeserializer']) {
    const value = text(name);
    if (value === undefined || /(^|\.)KafkaDocument(Des|S)erializer$/.test(value)) continue;
    const message = `kafka.${name} names the Java class ${value}, which cannot run here`;
    problems.push({
      path: `kafka.${name}`,
      message,
      hint: "Remove it. For Lucille's format, set kafka.documentFormat: lucille.",
    });
  }
  const protocol = text('securityProtocol');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    const [path, choices] = ['kafka.securityProtocol', PROTOCOLS.join(', ')];
    problems.push({
      path,
      message: `${path} must be one of ${choices}, was "${protocol}"`,
      hint: 'Without TLS and login, remove it.',
    });
  }
  const properties = (kind: string) => {
    const all: Record<string, string> = {};
    if (protocol !== undefined) all['security.protocol'] = protocol;
    const metadataAge = text('metadataMaxAgeMs');
    if (kind === 'consumer' && metadataAge !== undefined) all['metadata.max.age.ms'] = metadataAge;
    const file = text(`${kind}PropertyFile`);
    try {
      if (file !== undefined) {
        const parsed = parse(readFileSync(file, 'utf8'), { format: 'properties', file });
        for (const { message, hint, line } of parsed.problems) {
          const place = `The property file ${file}, line ${line}`;
          problems.push({
            path: `kafka.${kind}PropertyFile`,
            message: `${place}: ${message}`,
            hint: hint ?? 'Write name=value.',
          });
        }
        flatten(parsed.value, '', all);
      }
    } catch (error) {
      const message = `The property file ${file} cannot be read: ${messageOf(error)}`;
      problems.push({ path: `kafka.${kind}PropertyFile`, message, hint: 'Name a local file.' });
    }
    flatten(kafka[kind], '', all);
    return all;
  };
  const partitions = number('partitions', DEFAULT_PARTITIONS, 1);
  const maxRetries = Number(worker?.['maxRetries'] ?? DEFAULT_RETRIES);
  const settings: KafkaSettings = {
    bootstrapServers: text('bootstrapServers') ?? '',
    groupId: text('consumerGroupId') ?? '',
    identity: configIdentity(
      config as Record<string, unknown>,
      text('consumerGroupId') ?? '',
      text('configId'),
      indexerBlock,
    ),
    rebalanceTimeout: number('maxPollIntervalSecs', 300, 1) * 1000,
    maxRequestSize: number('maxRequestSize', 1_000_000, 1000),
    consumer: properties('consumer'),
    producer: properties('producer'),
    admin: properties('admin'),
    events: String(kafka['events'] ?? 'true') !== 'false',
    format: format as DocumentFormat,
    sourceTopic: text('sourceTopic'),
    eventTopic: text('eventTopic'),
    partitions,
    stallTimeoutSecs: number('stallTimeoutSecs', 0, 0),
    maxRetries: Number.isFinite(maxRetries) ? Math.max(1, maxRetries) : DEFAULT_RETRIES,
  };
  if (
    settings.bootstrapServers !== '' &&
    brokersOf(settings.bootstrapServers).some((broker) => !/:\d+$/.test(broker))
  ) {
    const message = `kafka.bootstrapServers must name hosts and ports, was "${settings.bootstrapServers}"`;
    problems.push({
      path: 'kafka.bootstrapServers',
      message,
      hint: 'Write host:port pairs, such as broker1:9092,broker2:9092.',
    });
  }
  const isValid = problems.every(({ severity }) => severity === 'warning');
  return { settings: isValid ? settings : undefined, problems };
}

/** Returns the properties of nested objects by their dotted names. */
function flatten(value: unknown, prefix: string, into: Record<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null) flatten(member, `${prefix}${name}.`, into);
    else if (member !== null) into[prefix + name] = String(member);
  }
}
