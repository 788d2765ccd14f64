import {
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  MapOf,
  type ModuleReference,
  type ParameterProblem,
  type ReportProblem,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { KeyedEncoder, keyedEncoderOptions } from '../delivery/keyed-encoder.ts';
import { retriesOf } from '../delivery/retries.ts';
import { brokersOf, checkBrokers } from '../kafka/brokers.ts';
import { checkKafkaProperties, type KafkaProperties, kafkaProperties } from '../kafka/client-properties.ts';
import { PRODUCER_PROPERTIES } from '../kafka/producer-properties.ts';
import { reachTopic } from '../kafka/reach-topic.ts';
import { TopicWriter } from '../kafka/topic-writer.ts';
import { ignoredSettings } from './ignored-settings.ts';

const parameters = Type.Object({
  bootstrapServers: Type.String(),
  topic: Type.String(),
  clientId: Type.Optional(Type.String({ default: 'headrace' })),
  securityProtocol: Type.Optional(Type.String()),
  producer: Type.Optional(MapOf(Type.Unknown())),
});

/**
 * Writes documents to a topic of Kafka: the id of a document is the key of its message, and its JSON the value.
 * <p>
 * <pre>
 * indexer { type: "Kafka", batchSize: 1000 }
 * kafkaTopic { bootstrapServers: "localhost:9092", topic: "articles" }
 * </pre>
 * <p>
 * All fields are written, <code>id</code> and <code>run_id</code> included; <code>indexer.whitelist</code> and
 * <code>indexer.blacklist</code> choose others. The key is the id of the document, or the value of
 * <code>indexer.idOverrideField</code>; the topic is the one below, or the value of
 * <code>indexer.indexOverrideField</code>. Topics must exist.
 * <p>
 * The key decides on the partition, as with Kafka's own clients, so that the versions of a document stay in order. A
 * document counts as written when all replicas in sync have it. The producer is idempotent: what is sent again because a
 * broker restarts, or its answer is lost, is there once. Where that lasts, documents are sent again up to ten times, which is
 * about three minutes; <code>indexer.maxRetries</code> and its neighbours say otherwise. Messages may then be there
 * twice, the second time right behind the first, in the same order. What is larger than the topic takes is sent in smaller requests; a document that is too large by itself fails.
 * <p>
 * Deleting: a document whose field <code>indexer.deletionMarkerField</code> holds
 * <code>indexer.deletionMarkerFieldValue</code> is written as a key without a value, which removes the key from a topic that is compacted.
 * <p>
 * TLS and SASL are set as with KafkaConnector: <code>kafkaTopic { securityProtocol: SASL_SSL, producer { sasl.mechanism:
 * SCRAM-SHA-512, sasl.jaas.config: "… username=\"u\" password=\"p\";", ssl.truststore.location: /path/ca.pem } }</code>.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>bootstrapServers (String, Required) : Host and port of some brokers, with commas between them.</li>
 *   <li>topic (String, Required) : The topic. It must exist.</li>
 *   <li>clientId (String, Optional) : The name of this client in the logs and quotas of the brokers. Defaults to headrace.</li>
 *   <li>securityProtocol (String, Optional) : PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL. Defaults to PLAINTEXT.</li>
 *   <li>producer (Map&lt;String, Object&gt;, Optional) : Properties of Kafka's producers: those whose names begin with sasl and ssl, compression.type (none, gzip, snappy, lz4, zstd), request.timeout.ms and metadata.max.age.ms.</li>
 * </ul>
 */
export class KafkaIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'kafkaTopic';
  static readonly type = 'Kafka';
  static readonly javaClass = null;
  #writer: TopicWriter | undefined;

  static override *check(params: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    const { bootstrapServers, topic, clientId } = params;
    yield* checkBrokers('bootstrapServers', bootstrapServers);
    if (topic.trim() === '') yield { parameter: 'topic', message: 'topic must not be empty' };
    if (clientId?.trim() === '') yield { parameter: 'clientId', message: 'clientId must not be empty' };
    yield* checkKafkaProperties(propertiesOf(params), PRODUCER_PROPERTIES, (name) =>
      name === 'security.protocol' ? ['securityProtocol'] : ['producer', name],
    );
    if (settings.deleteByFieldField !== undefined) {
      yield {
        block: 'indexer',
        parameter: 'deleteByFieldField',
        message: "Config setting 'indexer.deleteByFieldField' is not supported by KafkaIndexer",
        hint: 'Remove it: a topic is not searched, keys alone can be deleted.',
      };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(
      settings,
      ignored,
      'KafkaIndexer',
      'the key decides on the partition, and its order on the version',
    );
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    return KeyedEncoder.reference({ ...keyedEncoderOptions(settings), ...deletionSettings(settings) });
  }

  override async reach(_report: ReportProblem): Promise<void> {
    await reachTopic({ ...this.#place(), block: 'kafkaTopic' });
  }

  override async connect(): Promise<void> {
    this.#writer = await TopicWriter.open({
      ...this.#place(),
      retries: retriesOf(this.context, `Kafka at ${this.params.bootstrapServers}`),
    });
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine has called `connect`.
    return (this.#writer as TopicWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#writer?.close();
  }

  #place() {
    const { bootstrapServers, topic, clientId = 'headrace' } = this.params;
    return { brokers: brokersOf(bootstrapServers), topic, clientId, properties: propertiesOf(this.params) };
  }
}

function propertiesOf({ producer, securityProtocol }: Static<typeof parameters>): KafkaProperties {
  return kafkaProperties(producer as ReadonlyMap<string, Value> | undefined, securityProtocol);
}
