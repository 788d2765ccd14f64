import { setTimeout as sleep } from 'node:timers/promises';
import { brokersOf, KafkaSource, kafkaError, type TopicMessage } from '@headrace/components/kafka';
import { HeadraceError, type Logger, messageOf, silentNotices } from '@headrace/engine';
import { LETTER_HEADERS } from '../queue/dead-letters.ts';
import { type BatchHeader, parseHeader, toHeaders } from '../queue/headers.ts';
import { type OutgoingMessage, PartitionWriter } from '../queue/partition-writer.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { TopicAdmin } from '../settings/topic-admin.ts';
import { isTopicName } from '../settings/topic-name.ts';
import { partitionOf } from '../wire/murmur2.ts';

/** A message of a dead-letter topic. */
export interface DeadLetter {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string | undefined;
  /** The run id. Undefined for messages that Lucille has written. */
  readonly reason: string | undefined;
  /** The original message: topic, partition and offset. */
  readonly place: string | undefined;
  readonly run: string | undefined;
  readonly time: string | undefined;
  /** Empty if the message was too large for the dead-letter topic. */
  readonly value: Buffer;
  /** The number of bytes of such a message. */
  readonly omittedBytes: number | undefined;
  /** The header of a message with a batch. Undefined for a single document. */
  readonly batch: BatchHeader | undefined;
}

export interface DeadLetterOptions {
  readonly settings: KafkaSettings;
  readonly topic: string;
  readonly log: Logger;
}

const IDLE_MS = 200;

/** Reads all messages of a dead-letter topic, from the first to the current end. Joins no group. */
export async function* deadLetters({ settings, topic, log }: DeadLetterOptions): AsyncGenerator<DeadLetter> {
  const source = await openTopic(settings, topic, `${settings.groupId}-dead-letters`, true, log);
  try {
    for await (const message of readAll(source, false)) yield toLetter(message);
  } finally {
    await source.close();
  }
}

/** Where a replay sends messages. */
export interface ReplayOptions extends DeadLetterOptions {
  readonly to: string;
  /** The dest topic of the pipeline: messages that came from it are sent to it. Absent to send all to `to`. */
  readonly dest?: string;
}

/**
 * Sends the messages of a dead-letter topic to another topic, where workers process them again. A consumer group stores
 * the position: each message is sent once, and the next replay continues after an interrupted one.
 * @returns the number of messages that were sent
 */
export async function replay(options: ReplayOptions): Promise<number> {
  const { settings, topic, log } = options;
  // The other topic is created only if this one exists.
  const source = await openTopic(settings, topic, `${settings.groupId}-replay`, false, log);
  try {
    return await sendAgain(source, options);
  } finally {
    await source.close();
  }
}

async function sendAgain(source: KafkaSource, { settings, topic, to, dest, log }: ReplayOptions): Promise<number> {
  const admin = await TopicAdmin.open(settings, log);
  const targets = [to, ...(dest === undefined ? [] : [dest])].map((topic) => ({
    topic,
    partitions: settings.partitions,
  }));
  const partitions = await admin.ensure(targets).finally(() => admin.close());
  const writer = await PartitionWriter.open(settings, 'headrace-replay', log);
  let sent = 0;
  try {
    for await (const message of readAll(source, true)) {
      const { omittedBytes, place } = toLetter(message);
      if (omittedBytes !== undefined) {
        log.warn(
          `${place}: the message was too large for ${topic}, so it cannot be sent again (${omittedBytes} bytes)`,
        );
        continue;
      }
      // Documents of the dest topic have passed the stages already.
      const target = dest !== undefined && place?.startsWith(`topic ${dest},`) === true ? dest : to;
      await writer.write(messageAgain(message, target, partitions.get(target) ?? 1));
      sent++;
    }
  } finally {
    await writer.close();
  }
  return sent;
}

/** Returns the message that sends a dead letter again. */
function messageAgain(message: TopicMessage, topic: string, partitions: number): OutgoingMessage {
  const { key, value = Buffer.alloc(0) } = message;
  const { place = '', batch } = toLetter(message);
  const again = { topic, value, ...(key === undefined ? {} : { key }) };
  if (batch === undefined) return { ...again, partition: partitionOf(key?.toString() ?? '', partitions) };
  // All documents of a batch have the partition of the topic that they came from. The run has already counted them, so
  // nothing is reported. The user decides which config processes them, so they have no identity.
  const { run, batch: number, count, bytes, pieces } = batch;
  const partition = Number(/partition (\d+), offset \d+$/.exec(place)?.[1] ?? 0) % partitions;
  return { ...again, partition, headers: toHeaders({ run, batch: number, count, bytes, pieces }) };
}

/** Reads a topic to its current end. With `commits`, each message is marked as read after the caller has handled it. */
async function* readAll(source: KafkaSource, commits: boolean): AsyncGenerator<TopicMessage> {
  for (;;) {
    const message = source.read();
    if (message !== undefined) {
      yield message;
      const { partition, offset, leaderEpoch } = message;
      if (commits) await source.commit(new Map([[partition, { offset: offset + 1n, leaderEpoch }]]));
      continue;
    }
    if (await source.wait(IDLE_MS, new AbortController().signal)) continue;
    if ((await source.isAtEnd()) && !(await source.wait(0, new AbortController().signal))) return;
    await sleep(1);
  }
}

async function openTopic(
  settings: KafkaSettings,
  topic: string,
  groupId: string,
  isPreview: boolean,
  log: Logger,
): Promise<KafkaSource> {
  if (!isTopicName(topic)) throw unknownTopic(settings, topic);
  try {
    return await KafkaSource.open({
      brokers: brokersOf(settings.bootstrapServers),
      topic,
      groupId,
      clientId: 'headrace-dead-letters',
      rebalanceTimeout: settings.rebalanceTimeout,
      properties: settings.consumer,
      offsets: undefined,
      isPreview,
      log,
      notices: silentNotices,
      onRelease: async () => true,
      onGone: () => undefined,
    });
  } catch (error) {
    if (!/unknown topic/i.test(messageOf(error))) throw kafkaError(settings.bootstrapServers, error);
    throw unknownTopic(settings, topic);
  }
}

function unknownTopic({ bootstrapServers }: KafkaSettings, topic: string): HeadraceError {
  return new HeadraceError('HR_SOURCE_UNREADABLE', `There is no topic ${topic} at ${bootstrapServers}`, {
    hint: 'The dead-letter topic of a pipeline is called GROUP_PIPELINE_fail, with kafka.configId or kafka.consumerGroupId as GROUP. The first worker or indexer creates it.',
  });
}

function toLetter({ partition, offset, key, value, headers }: TopicMessage): DeadLetter {
  const texts = new Map(headers.map(([name, text]) => [String(name), text?.toString()]));
  const header = (name: keyof typeof LETTER_HEADERS) => texts.get(LETTER_HEADERS[name]);
  return {
    partition,
    offset,
    key: key?.toString(),
    reason: header('reason'),
    place: header('place'),
    run: header('run'),
    time: header('time'),
    value: value ?? Buffer.alloc(0),
    omittedBytes: header('omitted') === undefined ? undefined : Number(header('omitted')),
    batch: parseHeader(header('batch')),
  };
}
