import { OneOf, type Static, Type } from '../component/schema.ts';

const CLIENT = {
  javaType: 'java.util.Map<java.lang.String, java.lang.Object>',
  description: 'Properties of the client, such as `sasl.mechanism`, as in KafkaConnector.',
};
const PROPERTY_FILE = 'A Java property file with the properties of the client. The block of the client wins.';
const NO_CLASS = 'Only the classes of Lucille are accepted, and have no effect.';

/**
 * The block `kafka`. A distributed run reads it, and a run in one process does not: there, values that are out of range
 * are warnings.
 */
export const kafkaBlock = Type.Object({
  bootstrapServers: Type.String({ description: 'Some brokers, with ports: host:port pairs with commas between them.' }),
  consumerGroupId: Type.String({
    description:
      'The group of all workers and indexers of this config. It is also the name of the config on its brokers: no other config may have it.',
  }),
  configId: Type.Optional(
    Type.String({ description: 'The name of the config on these brokers. Defaults to consumerGroupId.' }),
  ),
  maxPollIntervalSecs: Type.Number({
    minimum: 1,
    description: 'How long a member of the group may take to release partitions, in seconds.',
  }),
  maxRequestSize: Type.Number({
    minimum: 1000,
    description:
      'The largest request, in bytes; not above `message.max.bytes` of the brokers. A batch may have 1.5 times as many before its compression.',
  }),
  securityProtocol: Type.Optional(
    OneOf(['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'], {
      description: 'How all clients connect. Without TLS and login, leave it out.',
    }),
  ),
  consumer: Type.Optional(Type.Unknown(CLIENT)),
  producer: Type.Optional(Type.Unknown(CLIENT)),
  admin: Type.Optional(Type.Unknown(CLIENT)),
  consumerPropertyFile: Type.Optional(Type.String({ description: PROPERTY_FILE })),
  producerPropertyFile: Type.Optional(Type.String({ description: PROPERTY_FILE })),
  adminPropertyFile: Type.Optional(Type.String({ description: PROPERTY_FILE })),
  metadataMaxAgeMs: Type.Number({
    default: 30_000,
    description: 'How often a consumer asks for new partitions and leaders, in milliseconds.',
  }),
  partitions: Type.Integer({
    default: 4,
    minimum: 1,
    description: 'The partitions of source and dest topics that are created.',
  }),
  sourceTopic: Type.Optional(
    Type.String({
      description: 'The topic that workers read. Defaults to `<configId>_<pipeline>_source`.',
    }),
  ),
  eventTopic: Type.Optional(
    Type.String({
      description:
        'A fixed topic for the results of all runs, which is never deleted. Defaults to one topic for each run, `<configId>_<pipeline>_event_<run id>`.',
    }),
  ),
  events: Type.Boolean({
    default: true,
    description: 'With false, nothing is reported, and a run ends when the brokers have its documents.',
  }),
  documentFormat: OneOf(['headrace', 'lucille'], {
    default: 'headrace',
    description:
      '`lucille` is for runs with Java workers or indexers: one document for each message, as Lucille writes them. `headrace` is many times as fast.',
  }),
  stallTimeoutSecs: Type.Number({
    default: 0,
    minimum: 0,
    description: 'A run ends if no document finishes for so many seconds. With 0 it waits.',
  }),
  documentSerializer: Type.Optional(Type.String({ description: NO_CLASS })),
  documentDeserializer: Type.Optional(Type.String({ description: NO_CLASS })),
});

export type KafkaBlock = Static<typeof kafkaBlock>;
