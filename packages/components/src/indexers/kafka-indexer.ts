import {
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
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
import { checkTopicAccess } from '../kafka/check-topic-access.ts';
import { checkKafkaProperties, type KafkaProperties, kafkaProperties } from '../kafka/client-properties.ts';
import { PRODUCER_PROPERTIES } from '../kafka/producer-properties.ts';
import { TopicWriter } from '../kafka/topic-writer.ts';

const parameters = Type.Object({
  /** Host and port of some brokers, separated by commas. */
  bootstrapServers: Type.String(),
  /** The topic. It must exist. */
  topic: Type.String(),
  /** The name of this client in the logs and quotas of the brokers. */
  clientId: Type.String({ default: 'headrace' }),
  /** PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL. Defaults to PLAINTEXT. */
  securityProtocol: Type.Optional(Type.String()),
  /**
   * Properties of Kafka producers: all that begin with sasl and ssl, compression.type (none, gzip, snappy, lz4, zstd),
   * request.timeout.ms and metadata.max.age.ms.
   */
  producer: Type.Optional(MapOf(Type.Unknown())),
});

/**
 * Writes documents to a Kafka topic: the key of a message is the id of the document, the value its JSON.
 *
 *     indexer { type: "Kafka", batchSize: 1000 }
 *     kafkaTopic { bootstrapServers: "localhost:9092", topic: "articles" }
 *
 * All fields are written, including id and run_id. indexer.whitelist and indexer.blacklist select others. The key is
 * the id of the document, or the value of indexer.idOverrideField. The topic is the one below, or the value of
 * indexer.indexOverrideField. Topics must exist.
 *
 * The key selects the partition, as in Kafka's clients, so the versions of a document stay in order. A document counts
 * as written when all replicas in sync have it. The producer is idempotent: a message that is sent again because a
 * broker restarts, or because its answer is lost, exists once. If the failure lasts, documents are sent again up to ten
 * times, which takes about three minutes; indexer.maxRetries and related settings change this. Messages may then exist
 * twice, the second directly after the first, in the same order. Requests that are larger than the topic accepts are
 * sent in smaller ones. A document that is too large alone fails.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, a
 * key without a value is written, which removes the key from a compacted topic.
 *
 * TLS and SASL are set as in KafkaConnector: kafkaTopic { securityProtocol: SASL_SSL, producer { sasl.mechanism:
 * SCRAM-SHA-512, sasl.jaas.config: "… username=\"u\" password=\"p\";", ssl.truststore.location: /path/ca.pem } }.
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
        hint: 'Remove it: a topic cannot be searched, so only keys can be deleted.',
      };
    }
    const ignored = ['routingField', 'versionType', 'versionField'] as const;
    yield* ignoredSettings(
      settings,
      ignored,
      'KafkaIndexer',
      'the key selects the partition, and its order the version',
    );
  }

  override encoder(): ModuleReference {
    const { settings } = this.context;
    return KeyedEncoder.reference({ ...keyedEncoderOptions(settings), ...deletionSettings(settings) });
  }

  override async checkAccess(_report: ReportProblem): Promise<void> {
    await checkTopicAccess({ ...this.#place(), block: 'kafkaTopic' });
  }

  override async connect(): Promise<void> {
    this.#writer = await TopicWriter.open({
      ...this.#place(),
      retries: retriesOf(this.context, `Kafka at ${this.params.bootstrapServers}`),
    });
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    return (this.#writer as TopicWriter).write(batch, signal);
  }

  override async close(): Promise<void> {
    await this.#writer?.close();
  }

  #place() {
    const { bootstrapServers, topic, clientId } = this.params;
    return { brokers: brokersOf(bootstrapServers), topic, clientId, properties: propertiesOf(this.params) };
  }
}

function propertiesOf({ producer, securityProtocol }: Static<typeof parameters>): KafkaProperties {
  return kafkaProperties(producer as ReadonlyMap<string, Value> | undefined, securityProtocol);
}
