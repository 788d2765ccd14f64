export type KafkaLibrary = typeof import('./client.ts');

/** Loads the Kafka client, which takes time and memory, so only threads that use Kafka load it. */
export function loadKafka(): Promise<KafkaLibrary> {
  return import('./client.ts');
}
