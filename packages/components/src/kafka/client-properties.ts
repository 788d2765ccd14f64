import type { ConnectionOptions } from 'node:tls';
import { messageOf, type ParameterProblem, textOf, type Value } from '@headrace/engine';
import type { BaseOptions, SASLMechanismValue } from '@platformatic/kafka';
import { readFile } from '../local-files/local-files.ts';

/** Properties of Kafka's Java clients, by their dotted names. */
export type KafkaProperties = ReadonlyMap<string, string>;

/** The properties that one kind of client (consumer or producer) accepts, in addition to the common ones. */
export interface KnownProperties {
  readonly names: readonly string[];
  /** The properties whose value is a whole number. */
  readonly numbers: readonly string[];
  /** The properties that accept only the listed values. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'];
const NUMBERS = ['metadata.max.age.ms', 'request.timeout.ms'];

const KNOWN = [
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
];

/**
 * Returns the properties of a block of the config. HOCON has turned dotted names into nested maps. A
 * `security.protocol` in the block overrides `securityProtocol`.
 */
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

/**
 * Returns the problems of properties that can be found without a broker.
 * @param place returns the path of a property in the config
 */
export function* checkKafkaProperties(
  properties: KafkaProperties,
  known: KnownProperties,
  place: (name: string) => readonly string[],
): Generator<ParameterProblem> {
  const names = new Set([...KNOWN, ...NUMBERS, ...known.names, ...known.numbers, ...Object.keys(known.choices)]);
  const problem = (name: string, message: string, hint?: string): ParameterProblem => ({
    parameter: place(name),
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const oneOf = (name: string, values: readonly string[], value = properties.get(name)) =>
    problem(name, `${name} must be one of ${values.join(', ')}${value === undefined ? '' : `, was "${value}"`}`);
  for (const [name, value] of properties) {
    if (!names.has(name)) {
      yield { ...problem(name, `The property ${name} has no effect`, 'Remove it.'), severity: 'warning' };
    } else if ((NUMBERS.includes(name) || known.numbers.includes(name)) && !/^\d+$/.test(value)) {
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
      `Name a PEM file, and remove ssl.${store}.type. keytool -exportcert -rfc or openssl pkcs12 creates a PEM file.`,
    );
  }
  for (const [name, values] of Object.entries(known.choices)) {
    const value = properties.get(name);
    if (value !== undefined && !values.includes(value)) yield oneOf(name, values);
  }
}

/** Returns the connection options of the client library: TLS and SASL. Reads the certificate files. */
export async function clientOptions(properties: KafkaProperties): Promise<Partial<BaseOptions>> {
  const protocol = properties.get('security.protocol') ?? 'PLAINTEXT';
  return withoutUndefined({
    metadataMaxAge: numberOf(properties, 'metadata.max.age.ms') ?? 30_000,
    requestTimeout: numberOf(properties, 'request.timeout.ms') ?? 30_000,
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

/** Returns a property as a number, or undefined if it is not set. */
export function numberOf(properties: KafkaProperties, name: string): number | undefined {
  const text = properties.get(name);
  return text === undefined ? undefined : Number(text);
}

async function tls(properties: KafkaProperties): Promise<ConnectionOptions> {
  const store = await pem(properties, 'ssl.keystore.location');
  return withoutUndefined({
    ca: properties.get('ssl.truststore.certificates') ?? (await pem(properties, 'ssl.truststore.location')),
    cert: properties.get('ssl.keystore.certificate.chain') ?? store,
    key: properties.get('ssl.keystore.key') ?? store,
    passphrase: properties.get('ssl.key.password'),
    // An empty value turns off the check of the host name. The certificate is still checked.
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

/** Returns an option of the JAAS login module, as in `… required username="u" password="p";`. */
function jaasOption(properties: KafkaProperties, name: string): string | undefined {
  const config = properties.get('sasl.jaas.config') ?? '';
  const [, quoted, plain] = new RegExp(`\\b${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s";]+))`).exec(config) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain;
}

/** Returns the object without its undefined members. The library would take undefined for a value. */
export function withoutUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
