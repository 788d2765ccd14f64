/**
 * The parts of the Kafka client that Headrace uses. The build puts their code into one file, without the parts of the
 * library that would only take memory in each thread; see `scripts/lib/kafka-client.mjs`.
 */
export {
  Admin,
  Consumer,
  compatibilityPartitioner,
  kGetApi,
  kGetConnection,
  Producer,
} from '@platformatic/kafka';
