import { setTimeout as sleep } from 'node:timers/promises';
import {
  CONNECTS,
  Connector,
  capped,
  clamped,
  FLAT,
  MAX_MILLIS,
  MapOf,
  OneOf,
  type ParameterProblem,
  type Publisher,
  RESERVED_FIELDS,
  type ReportProblem,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { checkServerAccess, tlsParameter } from '../http/server-access.ts';
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
import { SchemaRegistry } from '../kafka/schemas/schema-registry.ts';
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
  /** Whether the id is the value of idField, or the key of the message. */
  idFrom: OneOf(['field', 'key'], { default: 'field' }),
  /**
   * What a message without a value does: delete deletes the document with the id of its key, ignore does nothing, fail
   * fails alone. Defaults to delete with idFrom: key or unwrap, otherwise to fail.
   */
  tombstones: Type.Optional(OneOf(['delete', 'ignore', 'fail'])),
  /** Headers that become fields: the name of each header and its field, such as { trace-id: trace_id }. */
  headers: Type.Optional(MapOf(Type.String())),
  /** With debezium, messages are changes of rows: the document is the row after the change. */
  unwrap: Type.Optional(OneOf(['debezium'])),
  /** The registry with the schemas of messages in Avro, Protobuf or JSON Schema. */
  schemaRegistry: Type.Optional(
    Type.Object({
      /** The URL, such as https://schemas.example.org:8081. */
      url: Type.String(CONNECTS),
      /** The user for basic authentication, or the API key of a cloud; needs password. */
      userName: Type.Optional(Type.String()),
      /** The password of the user. Read it from the environment: ${REGISTRY_PASSWORD}. */
      password: Type.Optional(Type.String()),
      /** A token, instead of user and password: it is sent as Authorization: Bearer …. */
      bearerToken: Type.Optional(Type.String()),
      /** The certificates for TLS, as PEM files. */
      tls: tlsParameter,
      /** Whether to accept any certificate of the registry, for tests only. */
      acceptInvalidCert: Type.Boolean({ default: false }),
    }),
  ),
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
 * Publishes a document for each message of a Kafka topic. The value of a message must be an object: in JSON, or in Avro
 * or Protobuf with a schema registry. The messages of a partition keep their order.
 *
 * The id is the value of idField. With idFrom: key it is the key of the message: its text; of an object with one member
 * the value of that member; of an object with several the JSON list of their values. (A key is an object with a schema
 * registry, and in JSON with unwrap.)
 *
 * Deletes: a message without a value is a tombstone. With tombstones: delete, the indexer deletes the document with the
 * id of the key. No setting of the indexer is needed. The request to delete skips all stages. A destination that cannot
 * delete, such as a file, gets a document with the id and kafka_deleted: true.
 *
 * With unwrap: debezium, a message is a change of a row, in JSON with or without its schema, or with a schema registry.
 * c (created), u (updated) and r (read in a snapshot) write the row after the change. d deletes: its id is that of the
 * row before the change, or of the key. t (truncated) fails, because the documents of the table are not known. With the
 * schema, dates, times and decimals become texts and numbers; without it, they stay the numbers that Debezium writes.
 * A long value that the change has not touched is not in the message: it becomes no field, with a notice.
 *
 *     idFrom: key
 *     unwrap: debezium
 *
 * With schemaRegistry, a message that begins with the byte 0 and the number of a schema is read by that schema
 * (Confluent's format; the registries of Redpanda, Karapace and Apicurio have the same interface). Others are JSON. A
 * schema is requested once in a run, with those that it refers to. If the registry does not have it, its messages fail
 * alone. If the registry cannot be reached, the connector fails. Protobuf needs a package: npm install protobufjs@^8.8.1.
 *
 * Avro: decimals are numbers if a number holds all their digits, otherwise texts. date is 2024-01-02, timestamps are
 * instants with all their digits, local timestamps have no Z, uuid and duration are texts. bytes are written as base64.
 * A union is the value of its branch. Protobuf: the names are those of the schema. Fields of proto3 without optional have
 * their default value if the message omits them. Timestamp, Duration, Struct and the wrappers of Google are values as in
 * Protobuf's JSON. 64-bit integers are exact. JSON Schema: messages are not checked against the schema.
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
  #registry: SchemaRegistry | undefined;

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
    for (const [header, field] of params.headers ?? []) {
      if (field !== '' && !RESERVED_FIELDS.has(field)) continue;
      const message =
        field === '' ? `headers: the field of ${header} is empty` : `headers: ${field} is a reserved field`;
      yield { parameter: ['headers', header], message };
    }
    if (params.schemaRegistry !== undefined) {
      const { url } = params.schemaRegistry;
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
        yield { parameter: 'schemaRegistry.url', message: 'schemaRegistry.url is not an http or https URL' };
      }
      yield* checkServerAccess('schemaRegistry.', [url], params.schemaRegistry);
    }
    yield* checkKafkaProperties(propertiesOf(kafka), CONSUMER_PROPERTIES, (name) =>
      name === 'security.protocol' ? ['kafka', 'securityProtocol'] : ['kafka', 'consumer', name],
    );
  }

  override async checkAccess(_report: ReportProblem, signal: AbortSignal): Promise<void> {
    const { kafka, schemaRegistry } = this.params;
    const { topic, clientId, bootstrapServers } = kafka;
    const properties = propertiesOf(kafka);
    await checkTopicAccess({ brokers: brokersOf(bootstrapServers), topic, clientId, properties, block: 'kafka' });
    if (schemaRegistry === undefined) return;
    const registry = await SchemaRegistry.open(schemaRegistry);
    try {
      await registry.checkAccess(signal);
    } finally {
      await registry.close();
    }
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const target = requirePublisher(publisher, this.context.name);
    this.#target = target;
    const { schemaRegistry } = this.params;
    if (schemaRegistry !== undefined) this.#registry = await SchemaRegistry.open(schemaRegistry);
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
    await this.#registry?.close();
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
    const { maxMessages = Number.POSITIVE_INFINITY, messageTimeout, idField, idFrom, unwrap } = this.params;
    const { docIdPrefix, preview } = this.context;
    const endsWhenIdle = preview || this.params.continueOnTimeout === false;
    const { tombstones = idFrom === 'key' || unwrap !== undefined ? 'delete' : 'fail' } = this.params;
    const headers = this.params.headers ?? new Map<string, string>();
    const headerFields = [...headers.values()];
    const options = { topic, docIdPrefix, idField, idFrom, tombstones, headerFields, unwrap };
    const decoder = MessageDecoder.reference(options);
    const parts = {
      keys: idFrom === 'key' || unwrap !== undefined || tombstones === 'delete',
      headers: [...headers.keys()],
      schemas: this.#registry !== undefined,
    };
    let batch = new MessageBatch(parts);
    let positions = new Map<number, PartitionPosition>();
    const publish = async () => {
      if (batch.count === 0) return;
      const published = { positions, messages: batch.count };
      const schemas = await this.#registry?.get(batch.schemaIds, target.signal);
      const chunk = batch.chunk(decoder, schemas);
      batch = new MessageBatch(parts);
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
