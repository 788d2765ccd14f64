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
import { checkKafkaProperties, kafkaProperties } from '../kafka/client-properties.ts';
import { CONSUMER_PROPERTIES } from '../kafka/consumer-properties.ts';
import type { PartitionPosition } from '../kafka/group-member.ts';
import { isPassing, kafkaError } from '../kafka/kafka-error.ts';
import { KafkaSource, type KafkaSourceSettings } from '../kafka/kafka-source.ts';
import { MessageBatch } from '../kafka/message-batch.ts';
import { MessageDecoder } from '../kafka/message-decoder.ts';
import { reachTopic } from '../kafka/reach-topic.ts';
import { ReadProgress } from '../kafka/read-progress.ts';
import { SettledCommits } from '../kafka/settled-commits.ts';
import { isDelivered } from '../publishing/delivered.ts';
import { requirePublisher } from '../publishing/require-publisher.ts';

const parameters = Type.Object({
  kafka: Type.Object(
    {
      bootstrapServers: Type.String(CONNECTS),
      topic: Type.String(),
      consumerGroupId: Type.String(),
      clientId: Type.String(),
      maxPollIntervalSecs: Type.String(),
      documentDeserializer: Type.Optional(Type.String()),
      securityProtocol: Type.Optional(Type.String()),
      consumer: Type.Optional(MapOf(Type.Unknown())),
    },
    FLAT,
  ),
  idField: Type.Optional(Type.String({ default: 'id' })),
  offsets: Type.Optional(
    MapOf(Type.Integer({ minimum: 0 }), { javaType: 'java.util.Map<java.lang.Integer, java.lang.Long>' }),
  ),
  maxMessages: Type.Optional(Type.Integer(clamped({ minimum: 0 }))),
  messageTimeout: Type.Optional(
    Type.Integer({
      default: 100,
      minimum: 1,
      ...clamped({ maximum: MAX_MILLIS }),
      ...capped('maxWaitSecs', { scale: 1000 }),
    }),
  ),
  continueOnTimeout: Type.Optional(Type.Boolean({ default: true })),
});

/** The deserializer of the reference, which does what is done here. */
const DESERIALIZER = /^(com\.kmwllc\.lucille\.connector\.)?KafkaConnectorDefaultDeserializer$/;

/**
 * Messages travel to the pipeline at this size, at the number that `Pace` gives, or when no further one is here. They are
 * finished together: as many come again after a kill.
 */
const CHUNK_BYTES = 512 * 1024;
/** A cluster that was there and is lost may come back within this time. */
const LOST_MS = 5 * 60_000;
const REOPEN_MS = 2000;

/**
 * Publishes a document for each message of a topic of Kafka, whose value must be a JSON object. The messages of a
 * partition keep their order; keys and headers are not looked at.
 * <p>
 * The connector is a member of a consumer group and begins where the group stands, or, where the group has read nothing
 * yet, with the oldest message. A message counts as read when its document has come to its end in the
 * pipeline and the index: then its offset is committed, every second and at the end. A run that is killed or fails leaves nothing
 * out in the next one, which repeats what was under way and what was written in the last second. (Where the indexer writes a CSV or JSON Lines file, set its
 * <code>append</code> to true: otherwise the next run begins the file anew, without what was read before.) A message that is no JSON object, or has no id, fails by itself,
 * with its place, and is not read again. Previews commit nothing and do not join the group.
 * <p>
 * Several connectors, or processes, of one group share the partitions, also with Java's consumers that use the
 * <code>CooperativeStickyAssignor</code>. Partitions that stay with a member are read on while others move. One that moves is finished
 * first: the documents in flight are written and their offsets committed, within maxPollIntervalSecs, before the next member reads it.
 * A run that is stopped finishes what is in flight, for up to six seconds, and leaves the group. So a member that joins or leaves
 * repeats nothing. The log tells which partitions were gained and lost, and how long it took. Where brokers are away for less than
 * five minutes, reading continues when they are back.
 * <p>
 * A run that is killed cannot leave its group. The brokers miss it until its session ends, 45 seconds later as with Java's
 * clients (<code>consumer { session.timeout.ms: 10000 }</code> makes it 10; no longer than maxPollIntervalSecs): a run that is
 * started meanwhile waits for that, and says so in its log.
 * <p>
 * Without an end the connector reads until the run is stopped, and has no time limit unless the config sets
 * <code>runner.connectorTimeout</code>. It ends with <code>continueOnTimeout: false</code>
 * when all that there is has been read, or after maxMessages.
 * <p>
 * TLS and SASL are set with the properties of Kafka's own clients: <code>kafka { securityProtocol: SASL_SSL, consumer { sasl.mechanism:
 * SCRAM-SHA-512, sasl.jaas.config: "… username=\"u\" password=\"p\";", ssl.truststore.location: /path/ca.pem } }</code>.
 * Certificates are PEM files. PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 are the mechanisms.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>kafka.bootstrapServers (String, Required) : Host and port of some brokers, with commas between them.</li>
 *   <li>kafka.topic (String, Required) : The topic. It must exist.</li>
 *   <li>kafka.consumerGroupId (String, Required) : The consumer group.</li>
 *   <li>kafka.clientId (String, Required) : The name of this client in the logs and quotas of the brokers.</li>
 *   <li>kafka.maxPollIntervalSecs (String, Required) : How long, in seconds, a member may take to give partitions back when others join.</li>
 *   <li>kafka.documentDeserializer (String, Optional) : Only the reference's own, KafkaConnectorDefaultDeserializer: values are JSON.</li>
 *   <li>kafka.securityProtocol (String, Optional) : PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL. Defaults to PLAINTEXT.</li>
 *   <li>kafka.consumer (Map&lt;String, Object&gt;, Optional) : Properties of Kafka's consumers: those whose names begin with sasl and ssl, and the time-outs, sizes, isolation.level, auto.offset.reset, group.instance.id and client.rack.</li>
 *   <li>idField (String, Optional) : The field with the id, a text or a number; it goes to the field id, behind the docIdPrefix. Defaults to id.</li>
 *   <li>offsets (Map&lt;Integer, Long&gt;, Optional) : By partition, the offset of the first message to read, whatever the group has read: <code>offsets { 0: 1200, 1: 0 }</code>. The partitions that are missing here begin where the group stands.</li>
 *   <li>maxMessages (Integer, Optional) : After how many messages to end. Defaults to no limit.</li>
 *   <li>messageTimeout (Integer, Optional) : After how many milliseconds without a message to look whether there is another one. Defaults to 100.</li>
 *   <li>continueOnTimeout (Boolean, Optional) : Whether to wait for further messages when all have been read; otherwise the connector ends. Defaults to true.</li>
 * </ul>
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
        message: `The deserializer ${kafka.documentDeserializer} is a class of Java, which cannot run here`,
        hint: 'Leave it out, and have stages of the pipeline change the documents.',
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

  override async reach(): Promise<void> {
    const { kafka } = this.params;
    const { topic, clientId, bootstrapServers } = kafka;
    const properties = propertiesOf(kafka);
    await reachTopic({ brokers: brokersOf(bootstrapServers), topic, clientId, properties, block: 'kafka' });
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
        this.context.log.warn(`${failure.message}. It is tried again`);
        await this.#reset();
        await sleep(REOPEN_MS, undefined, { signal: target.signal }).catch(() => undefined);
      }
    }
  }

  /** Only now nothing of what was read can be lost any more. */
  override async postExecute(): Promise<void> {
    try {
      if ((await this.#commits?.finish(() => isDelivered(this.#target))) !== false) return;
      this.message = 'messages whose documents could not be delivered are not committed: they come again';
    } catch (error) {
      throw kafkaError(this.params.kafka.bootstrapServers, error);
    }
  }

  override async close(): Promise<void> {
    await this.#commits?.close();
    await this.#source?.close();
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
      onCommitted: (committed) => this.#progress.committed(committed),
      onFailed: (error) => {
        const { message } = kafkaError(this.params.kafka.bootstrapServers, error);
        this.context.log.warn(`${message}. What was read is committed later`);
      },
    });
  }

  async #read(source: KafkaSource, target: Publisher, commits: SettledCommits): Promise<void> {
    const progress = this.#progress;
    const { topic } = this.params.kafka;
    const { maxMessages = Number.POSITIVE_INFINITY, messageTimeout = 100, idField = 'id' } = this.params;
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
      await commits.room(target.signal);
    };
    while (progress.received < maxMessages && !target.signal.aborted) {
      const message = source.read();
      if (message !== undefined) {
        batch.add(message);
        progress.received++;
        const { partition, offset, leaderEpoch } = message;
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

  /** Forgets a source that is lost. What was not committed comes again. */
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
