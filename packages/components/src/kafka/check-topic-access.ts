import { clientOptions, type KafkaProperties } from './client-properties.ts';
import { closeClient } from './close-client.ts';
import { hearErrors } from './connection-errors.ts';
import { type KafkaBlock, kafkaError } from './kafka-error.ts';
import { loadKafka } from './library.ts';

/** The topic to check, and how to connect to its brokers. */
export interface TopicPlace {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly clientId: string;
  readonly properties: KafkaProperties;
  readonly block: KafkaBlock;
}

/**
 * Checks that the brokers answer, that they accept the login, and that the topic exists. Does not create the topic, and
 * joins no group. Throws `HR_SOURCE_UNREADABLE`.
 */
export async function checkTopicAccess({ brokers, topic, clientId, properties, block }: TopicPlace): Promise<void> {
  const { Consumer } = await loadKafka();
  const consumer = hearErrors(
    new Consumer({
      ...(await clientOptions(properties)),
      clientId,
      groupId: clientId,
      bootstrapBrokers: [...brokers],
      retries: 0,
    }),
  );
  try {
    await consumer.metadata({ topics: [topic], autocreateTopics: false });
  } catch (error) {
    throw kafkaError(brokers.join(','), error, block);
  } finally {
    await closeClient(consumer);
  }
}
