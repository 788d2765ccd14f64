import { maxValueBytes } from '@headrace/engine';
import type { BaseOptions, ConsumeBaseOptions, GroupOptions } from '@platformatic/kafka';
import {
  clientOptions,
  type KafkaProperties,
  type KnownProperties,
  numberOf,
  withoutUndefined,
} from './client-properties.ts';

/** The allowed properties of a consumer. */
export const CONSUMER_PROPERTIES: KnownProperties = {
  names: ['client.rack', 'group.instance.id', 'isolation.level'],
  numbers: [
    'fetch.max.bytes',
    'fetch.max.wait.ms',
    'fetch.min.bytes',
    'heartbeat.interval.ms',
    'max.partition.fetch.bytes',
    'session.timeout.ms',
  ],
  choices: { 'auto.offset.reset': ['earliest', 'latest'] },
};

type LibraryOptions = Partial<BaseOptions & ConsumeBaseOptions<Buffer, Buffer, Buffer, Buffer> & GroupOptions>;

/** Converts the properties to options of the library. Reads the certificate files. */
export async function consumerOptions(properties: KafkaProperties): Promise<LibraryOptions> {
  return withoutUndefined({
    ...(await clientOptions(properties)),
    heartbeatInterval: numberOf(properties, 'heartbeat.interval.ms'),
    groupInstanceId: properties.get('group.instance.id'),
    clientRack: properties.get('client.rack'),
    minBytes: numberOf(properties, 'fetch.min.bytes'),
    maxBytes: bytesOf(properties, 'fetch.max.bytes'),
    maxBytesPerPartition: bytesOf(properties, 'max.partition.fetch.bytes'),
    maxWaitTime: numberOf(properties, 'fetch.max.wait.ms') ?? 500,
    isolationLevel: properties.get('isolation.level') === 'read_committed' ? 1 : 0,
  });
}

/** Fetched messages are in memory until they are read, so a fetch has no more bytes than the largest value. */
function bytesOf(properties: KafkaProperties, name: string): number | undefined {
  const bytes = numberOf(properties, name);
  return bytes === undefined ? undefined : Math.min(bytes, maxValueBytes());
}
