import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONNECTS,
  Connector,
  capped,
  clamped,
  FLAT,
  MAX_MILLIS,
  MapOf,
  type ParameterProblem,
  type Publisher,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { brokersOf, checkBrokers } from '../kafka/brokers.ts';
import { checkTopicAccess } from '../kafka/check-topic-access.ts';
import { checkKafkaProperties, kafkaProperties } from '../kafka/client-properties.ts';
import { CONSUMER_PROPERTIES } from '../kafka/consumer-properties.ts';
import type { PartitionPosition } from '../kafka/group-member.ts';
import { isPassing, kafkaError } from '../kafka/kafka-error.ts';
import { KafkaSource, type KafkaSourceSettings } from '../kafka/kafka-source.ts';
import { MessageBatch } from '../kafka/message-batch.ts';
import { MessageDecoder } from '../kafka/message-decoder.ts';
import { ReadProgress } from '../kafka/read-progress.ts';
import { SettledCommits } from '../kafka/settled-commits.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { unreadSince } from '../publishing/unread.ts';

const parameters = Type.Object({
  kafka: Type.Object(
    {
      /** Host and port of some brokers, separated by commas. */
      bootstrapServers: Type.String(CONNECTS),
      /** The topic. It must exist. */
      topic: Type.String(),
      /** The consumer group. */
      consumerGroupId: Type.String(),
      /** The name of this client in the logs and quotas of the brokers. */
      clientId: Type.String(),
      /** The maximum time, in seconds, that a member may take to return partitions when other members join. */
      maxPollIntervalSecs: Type.String(),
      /** Only KafkaConnectorDefaultDeserializer of Lucille: values are JSON. */
      documentDeserializer: Type.Optional(Type.String()),
      /** PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL. Defaults to PLAINTEXT. */
      securityProtocol: Type.Optional(Type.String()),
      /**
       * Properties of Kafka consumers: all that begin with sasl and ssl, the time-outs, sizes, isolation.level,
       * auto.offset.reset, group.instance.id and client.rack.
       */
      consumer: Type.Optional(MapOf(Type.Unknown())),
    },
    FLAT,
  ),
  /** The field with the id, a text or a number. The field id gets the docIdPrefix and this value. */
  idField: Type.String({ default: 'id' }),
  /**
   * The offset of the first message to read, for each partition, regardless of what the group has read: offsets { 0:
   * 1200, 1: 0 }. Other partitions start at the position of the group.
   */
  offsets: Type.Optional(
    MapOf(Type.Integer({ minimum: 0 }), { javaType: 'java.util.Map<java.lang.Integer, java.lang.Long>' }),
  ),
  /** The number of messages after which the connector ends. Defaults to no limit. */
  maxMessages: Type.Optional(Type.Integer(clamped({ minimum: 0 }))),
  /** The wait for another message, in milliseconds, before the connector checks whether it has read all messages. */
  messageTimeout: Type.Integer({
    default: 100,
    minimum: 1,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
  }),
  /** Whether to wait for further messages after all have been read. Otherwise the connector ends. */
  continueOnTimeout: Type.Boolean({ default: true }),
});

/** The deserializer of Lucille that does the same as this connector. */
const DESERIALIZER = /^(com\.kmwllc\.lucille\.connector\.)?KafkaConnectorDefaultDeserializer$/;

/**
 * A chunk of messages is sent to the pipeline at this size, at the number of messages that `Pace` sets, or when no
 * other message is waiting. A chunk finishes as a whole, so this much is read again after a kill.
 */
const CHUNK_BYTES = 512 * 1024;
/** The maximum number of partitions in a message. */
const MAX_LISTED_PARTITIONS = 8;
/** How long the connector waits for lost brokers before it fails, and the wait between two attempts. */
const LOST_MS = 5 * 60_000;
const REOPEN_MS = 2000;

/**
 * Publishes a document for each message of a Kafka topic. The value of a message must be a JSON object. The messages of
 * a partition keep their order. Keys and headers are ignored.
 *
 * The connector is a member of a consumer group. It starts at the position of the group, or with the oldest message if
 * the group has read nothing. A message counts as read when its document is in the index or was dropped, or when it
 * failed and is kept: by the service, or with headrace run --failures FILE. Then its offset is committed, every second
 * and at the end. After another failure, no offset is committed any more, and the next run begins there: the log and the
 * summary say so. After a run is killed or fails, the next run leaves nothing out. It repeats the documents that were in
 * the pipeline and those that were written in the last second. (If the indexer writes a CSV or JSON Lines file, set its
 * append to true. Otherwise the next run overwrites the file.) A message that is not a JSON object, or has no id, fails
 * alone, with its position. Previews commit nothing and do not join the group.
 *
 * Several connectors or processes of one group share the partitions, also with Java consumers that use the
 * CooperativeStickyAssignor. Members continue to read the partitions that they keep while others move. A partition that
 * moves is finished first: its documents are written and their offsets committed, within maxPollIntervalSecs, before
 * the next member reads it. A run that is stopped finishes its documents, for up to six seconds, and leaves the group.
 * So a member that joins or leaves repeats nothing. The log lists which partitions were gained and lost, and how long
 * it took. If brokers are away for less than five minutes, reading continues when they are back.
 *
 * A run that is killed cannot leave its group. The brokers notice when its session ends, 45 seconds later as with Java
 * clients (consumer { session.timeout.ms: 10000 } sets 10; at most maxPollIntervalSecs). A run that starts before that
 * waits, and says so in its log.
 *
 * By default the connector reads until the run is stopped, and has no time limit unless the config sets
 * runner.connectorTimeout. With continueOnTimeout: false it ends when it has read all messages; with maxMessages, after
 * that number.
 *
 * TLS and SASL are set with the properties of Kafka's clients: kafka { securityProtocol: SASL_SSL, consumer {
 * sasl.mechanism: SCRAM-SHA-512, sasl.jaas.config: "… username=\"u\" password=\"p\";", ssl.truststore.location:
 * /path/ca.pem } }. Certificates are PEM files. The mechanisms are PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.
 */
export class KafkaConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;
  #source: KafkaSource | undefined;
  readonly #progress = new ReadProgress(offsetsOf(this.params.offsets));
  #commits: SettledCommits | undefined;
  #target: Publisher | undefined;

  static override goesOn({ offsets }: Static<typeof parameters>): boolean {
    return offsets === undefined;
  }

  static override marksRead(): boolean {
    return true;
  }

  static override endless({ continueOnTimeout, maxMessages }: Static<typeof parameters>): boolean {
    return continueOnTimeout !== false && maxMessages === undefined;
  }

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { kafka, offsets = new Map() } = params;
    for (const name of ['topic', 'consumerGroupId', 'clientId'] as const) {
      if (kafka[name].trim() === '') yield { parameter: ['kafka', name], message: `kafka.${name} must not be empty` };
    }
    yield* checkBrokers('kafka.bootstrapServers', kafka.bootstrapServers);
    if (!(Number(kafka.maxPollIntervalSecs) > 0)) {
      const message = `kafka.maxPollIntervalSecs must be a positive number, was "${kafka.maxPollIntervalSecs}"`;
      yield { parameter: 'kafka.maxPollIntervalSecs', message };
    }
    if (kafka.documentDeserializer !== undefined && !DESERIALIZER.test(kafka.documentDeserializer)) {
      yield {
        parameter: 'kafka.documentDeserializer',
        message: `The deserializer ${kafka.documentDeserializer} is a Java class, which cannot run here`,
        hint: 'Remove it, and change the documents with stages of the pipeline.',
        atStart: true,
      };
    }
    for (const partition of offsets.keys()) {
      if (/^\d+$/.test(partition)) continue;
      yield { parameter: ['offsets', partition], message: `offsets: "${partition}" is not the number of a partition` };
    }
    yield* checkKafkaProperties(propertiesOf(kafka), CONSUMER_PROPERTIES, (name) =>
      name === 'security.protocol' ? ['kafka', 'securityProtocol'] : ['kafka', 'consumer', name],
    );
  }

  override async checkAccess(): Promise<void> {
    const { kafka } = this.params;
    const { topic, clientId, bootstrapServers } = kafka;
    const properties = propertiesOf(kafka);
    await checkTopicAccess({ brokers: brokersOf(bootstrapServers), topic, clientId, properties, block: 'kafka' });
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const target = requirePublisher(publisher, this.context.name);
    this.#target = target;
    let lostAt: number | undefined;
    for (;;) {
      let isOpen = false;
      try {
        const source = await KafkaSource.open(this.#sourceSettings());
        isOpen = true;
        this.#source = source;
        this.#commits = this.#commitsOf(source, target);
        await this.#read(source, target, this.#commits);
        return;
      } catch (error) {
        if (target.signal.aborted) return;
        if (isOpen) lostAt = Date.now();
        const failure = kafkaError(this.params.kafka.bootstrapServers, error);
        if (!isPassing(error) || lostAt === undefined || Date.now() - lostAt > LOST_MS) throw failure;
        this.context.log.warn(`${failure.message}. The connector reconnects`);
        await this.#reset();
        await sleep(REOPEN_MS, undefined, { signal: target.signal }).catch(() => undefined);
      }
    }
  }

  /** Commits the remaining offsets after all documents have finished, so that no message can be lost. */
  override async markRead(): Promise<void> {
    try {
      await this.#commits?.finish(() => unreadSince(this.#target));
    } catch (error) {
      throw kafkaError(this.params.kafka.bootstrapServers, error);
    }
  }

  override async close(): Promise<void> {
    await this.#commits?.close();
    const unread = this.#commits?.unread;
    if (unread !== undefined) this.message = this.#notCommitted(unread);
    await this.#source?.close();
  }

  #notCommitted(reason: string): string {
    const { topic, consumerGroupId } = this.params.kafka;
    const next = Array.from(this.#progress.next, ([partition, offset]) => `offset ${offset} of partition ${partition}`);
    const more = next.length - MAX_LISTED_PARTITIONS;
    const from = [...next.slice(0, MAX_LISTED_PARTITIONS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
    return (
      `${reason}, so no further offset is committed. The next run of the group ${consumerGroupId} reads ${topic} again ` +
      `from ${from}`
    );
  }

  #sourceSettings(): KafkaSourceSettings {
    const { kafka } = this.params;
    return {
      brokers: brokersOf(kafka.bootstrapServers),
      topic: kafka.topic,
      groupId: kafka.consumerGroupId,
      clientId: kafka.clientId,
      rebalanceTimeout: Number(kafka.maxPollIntervalSecs) * 1000,
      properties: propertiesOf(kafka),
      offsets: this.#progress.offsets,
      isPreview: this.context.preview,
      log: this.context.log,
      notices: this.context.notices,
      onRelease: async (partitions, signal) => (await this.#commits?.release(partitions, signal)) ?? true,
      onGone: (partitions) => {
        this.#commits?.forgetPartitions(partitions);
        this.#progress.gone(partitions);
      },
    };
  }

  #commitsOf(source: KafkaSource, target: Publisher): SettledCommits {
    return new SettledCommits({
      commit: (positions) => source.commit(positions),
      settled: () => target.settled(),
      atEnd: target.readAtEnd === true,
      onUnread: (reason) => this.context.log.warn(this.#notCommitted(reason)),
      onCommitted: (committed) => this.#progress.committed(committed),
      onFailed: (error) => {
        const { message } = kafkaError(this.params.kafka.bootstrapServers, error);
        this.context.log.warn(`${message}. The offsets are committed later`);
      },
    });
  }

  async #read(source: KafkaSource, target: Publisher, commits: SettledCommits): Promise<void> {
    const progress = this.#progress;
    const { topic } = this.params.kafka;
    const { maxMessages = Number.POSITIVE_INFINITY, messageTimeout, idField } = this.params;
    const { docIdPrefix, preview } = this.context;
    const endsWhenIdle = preview || this.params.continueOnTimeout === false;
    const decoder = MessageDecoder.reference({ topic, idField, docIdPrefix });
    let batch = new MessageBatch();
    let positions = new Map<number, PartitionPosition>();
    const publish = async () => {
      if (batch.count === 0) return;
      const published = { positions, messages: batch.count };
      const chunk = batch.chunk(decoder);
      batch = new MessageBatch();
      positions = new Map();
      commits.begin(published);
      await target.publishChunk(chunk);
      commits.published(published);
      await commits.waitForCapacity(target.signal);
    };
    while (progress.received < maxMessages && !target.signal.aborted) {
      const message = source.read();
      if (message !== undefined) {
        batch.add(message);
        progress.received++;
        const { partition, offset, leaderEpoch } = message;
        if (!positions.has(partition)) progress.began(partition, offset);
        positions.set(partition, { offset: offset + 1n, leaderEpoch });
      }
      if (message === undefined || batch.bytes >= CHUNK_BYTES || batch.count >= commits.pace.piece) {
        await publish();
      }
      if (message !== undefined || (await source.wait(messageTimeout, target.signal))) continue;
      if (endsWhenIdle && (await source.isAtEnd()) && !(await source.wait(0, target.signal))) return;
    }
    if (!target.signal.aborted) await publish();
  }

  /** Drops a lost connection. The next connection reads the uncommitted messages again. */
  async #reset(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    this.#commits?.forget();
    this.#commits = undefined;
    this.#progress.lost();
    await source?.close();
  }
}

function offsetsOf(offsets: Static<typeof parameters>['offsets']): ReadonlyMap<number, bigint> | undefined {
  return offsets && new Map(Array.from(offsets, ([partition, offset]) => [Number(partition), BigInt(offset)]));
}

type KafkaBlock = Static<typeof parameters>['kafka'];

function propertiesOf({ consumer, securityProtocol }: KafkaBlock): ReadonlyMap<string, string> {
  return kafkaProperties(consumer as ReadonlyMap<string, Value> | undefined, securityProtocol);
}
