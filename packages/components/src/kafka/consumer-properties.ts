import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { messageOf, type ParameterProblem, textOf, type Value } from '@headrace/engine';
import type { BaseOptions, ConsumeBaseOptions, GroupOptions, SASLMechanismValue } from '@platformatic/kafka';

/** Properties of Kafka's own clients, by their dotted names. */
export type KafkaProperties = ReadonlyMap<string, string>;

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'];

/** The properties that mean a whole number here. */
const NUMBERS = [
  'fetch.max.bytes',
  'fetch.max.wait.ms',
  'fetch.min.bytes',
  'heartbeat.interval.ms',
  'max.partition.fetch.bytes',
  'metadata.max.age.ms',
  'request.timeout.ms',
  'session.timeout.ms',
];

const KNOWN: ReadonlySet<string> = new Set([
  ...NUMBERS,
  'auto.offset.reset',
  'client.rack',
  'group.instance.id',
  'isolation.level',
  'sasl.jaas.config',
  'sasl.mechanism',
  'security.protocol',
  'ssl.endpoint.identification.algorithm',
  'ssl.key.password',
  'ssl.keystore.certificate.chain',
  'ssl.keystore.key',
  'ssl.keystore.location',
  'ssl.keystore.type',
  'ssl.truststore.certificates',
  'ssl.truststore.location',
  'ssl.truststore.type',
]);

/** The properties of a map of a config, in which a name with dots has become maps; `securityProtocol` gives way to them. */
export function kafkaProperties(
  map: ReadonlyMap<string, Value> | undefined,
  securityProtocol: string | undefined,
): KafkaProperties {
  const properties = new Map<string, string>();
  if (securityProtocol !== undefined) properties.set('security.protocol', securityProtocol);
  for (const [name, value] of flattened(map ?? new Map(), '')) properties.set(name, value);
  return properties;
}

function* flattened(map: ReadonlyMap<string, Value>, prefix: string): Generator<[string, string]> {
  for (const [name, value] of map) {
    if (value instanceof Map) yield* flattened(value, `${prefix}${name}.`);
    else if (value !== null) yield [prefix + name, textOf(value) ?? ''];
  }
}

/** Mistakes in properties that need no server to be found. */
export function* checkKafkaProperties(properties: KafkaProperties): Generator<ParameterProblem> {
  const problem = (name: string, message: string, hint?: string): ParameterProblem => ({
    parameter: name === 'security.protocol' ? ['kafka', 'securityProtocol'] : ['kafka', 'consumer', name],
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const oneOf = (name: string, values: readonly string[]) =>
    problem(name, `${name} must be one of ${values.join(', ')}, was "${properties.get(name)}"`);
  for (const [name, value] of properties) {
    if (!KNOWN.has(name)) {
      yield { ...problem(name, `The property ${name} has no effect`, 'Remove it.'), severity: 'warning' };
    } else if (NUMBERS.includes(name) && !/^\d+$/.test(value)) {
      yield problem(name, `${name} must be a whole number, was "${value}"`);
    }
  }
  const protocol = properties.get('security.protocol');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) yield oneOf('security.protocol', PROTOCOLS);
  if (protocol?.startsWith('SASL_')) {
    if (!MECHANISMS.includes(properties.get('sasl.mechanism') ?? '')) yield oneOf('sasl.mechanism', MECHANISMS);
    if (jaasOption(properties, 'username') === undefined || jaasOption(properties, 'password') === undefined) {
      yield problem(
        'sasl.jaas.config',
        'sasl.jaas.config must hold a username and a password',
        'As in Java: org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";',
      );
    }
  }
  for (const store of ['truststore', 'keystore'] as const) {
    const type = properties.get(`ssl.${store}.type`) ?? 'PEM';
    const file = properties.get(`ssl.${store}.location`) ?? '';
    if (type === 'PEM' && !/\.(jks|p12|pfx|pkcs12)$/i.test(file)) continue;
    yield problem(
      `ssl.${store}.location`,
      'A store of Java cannot be read',
      `Name a PEM file, and leave ssl.${store}.type out. keytool -exportcert -rfc, or openssl pkcs12, writes one.`,
    );
  }
  const reset = properties.get('auto.offset.reset');
  if (reset !== undefined && reset !== 'earliest' && reset !== 'latest') {
    yield oneOf('auto.offset.reset', ['earliest', 'latest']);
  }
}

type LibraryOptions = Partial<BaseOptions & ConsumeBaseOptions<Buffer, Buffer, Buffer, Buffer> & GroupOptions>;

/** The options of the library that mean the same. Reads the files of the certificates. */
export async function consumerOptions(properties: KafkaProperties): Promise<LibraryOptions> {
  const number = (name: string) => {
    const text = properties.get(name);
    return text === undefined ? undefined : Number(text);
  };
  const protocol = properties.get('security.protocol') ?? 'PLAINTEXT';
  return withoutUndefined({
    sessionTimeout: number('session.timeout.ms'),
    heartbeatInterval: number('heartbeat.interval.ms'),
    groupInstanceId: properties.get('group.instance.id'),
    clientRack: properties.get('client.rack'),
    metadataMaxAge: number('metadata.max.age.ms') ?? 30_000,
    requestTimeout: number('request.timeout.ms') ?? 30_000,
    minBytes: number('fetch.min.bytes'),
    maxBytes: number('fetch.max.bytes'),
    maxBytesPerPartition: number('max.partition.fetch.bytes'),
    maxWaitTime: number('fetch.max.wait.ms') ?? 500,
    isolationLevel: properties.get('isolation.level') === 'read_committed' ? 1 : 0,
    tls: protocol.endsWith('SSL') ? await tls(properties) : undefined,
    sasl: protocol.startsWith('SASL_')
      ? {
          mechanism: properties.get('sasl.mechanism') as SASLMechanismValue,
          username: jaasOption(properties, 'username') ?? '',
          password: jaasOption(properties, 'password') ?? '',
        }
      : undefined,
  });
}

async function tls(properties: KafkaProperties): Promise<ConnectionOptions> {
  const store = await pem(properties, 'ssl.keystore.location');
  return withoutUndefined({
    ca: properties.get('ssl.truststore.certificates') ?? (await pem(properties, 'ssl.truststore.location')),
    cert: properties.get('ssl.keystore.certificate.chain') ?? store,
    key: properties.get('ssl.keystore.key') ?? store,
    passphrase: properties.get('ssl.key.password'),
    // Empty: the name of the host is not looked at, the certificate is.
    checkServerIdentity: properties.get('ssl.endpoint.identification.algorithm') === '' ? () => undefined : undefined,
  });
}

async function pem(properties: KafkaProperties, name: string): Promise<string | undefined> {
  const file = properties.get(name);
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`);
  }
}

/** An option of the login module: `… required username="u" password="p";`. */
function jaasOption(properties: KafkaProperties, name: string): string | undefined {
  const config = properties.get('sasl.jaas.config') ?? '';
  const [, quoted, plain] = new RegExp(`\\b${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s";]+))`).exec(config) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain;
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
