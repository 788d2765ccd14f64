import type { BaseOptions, ProduceOptions } from '@platformatic/kafka';
import { clientOptions, type KafkaProperties, type KnownProperties, withoutUndefined } from './client-properties.ts';

const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** The allowed properties of a producer. Acknowledgement by all replicas and idempotence cannot be changed. */
export const PRODUCER_PROPERTIES: KnownProperties = {
  names: [],
  numbers: [],
  choices: { 'compression.type': COMPRESSIONS },
};

type LibraryOptions = Partial<BaseOptions & ProduceOptions<Buffer, Buffer, Buffer, Buffer>>;

/** Converts the properties to options of the library. Reads the certificate files. */
export async function producerOptions(properties: KafkaProperties): Promise<LibraryOptions> {
  return withoutUndefined({
    ...(await clientOptions(properties)),
    compression: properties.get('compression.type') as (typeof COMPRESSIONS)[number] | undefined,
  });
}
