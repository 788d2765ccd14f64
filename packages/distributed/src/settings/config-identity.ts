import { createHash } from 'node:crypto';
import { addressOf } from '@headrace/components/http';
import { type Static, Type } from '@headrace/engine';
import { isTopicName } from './topic-name.ts';

/**
 * Which config a message belongs to. The processes of one config have the same identity, on any machine, also in another
 * format and with other passwords. It is plain data: each message of a batch has it in its header.
 */
export const configIdentitySchema = Type.Object({
  /** `kafka.configId`, otherwise `kafka.consumerGroupId`. A part of the names of topics. */
  id: Type.String(),
  /** The consumer group of the workers and indexers. */
  group: Type.String(),
  /**
   * The indexer and where it writes, without passwords. Absent if the config sets `kafka.configId`: then only the id
   * counts.
   */
  destination: Type.Optional(Type.String()),
});

export type ConfigIdentity = Static<typeof configIdentitySchema>;

/** The settings of indexers that say where they write. */
const PLACES: readonly string[] = [
  ...['url', 'urls', 'zkHosts', 'host', 'bootstrapServers', 'connectionString', 'database', 'schema', 'namespace'],
  ...['index', 'collection', 'table', 'topic', 'bucket', 'path', 'uri'],
];
const DIGEST_CHARACTERS = 8;

/**
 * Returns the identity of a config. A new version of a config keeps it, unless the version writes to another place or has
 * another group.
 * @param config the config as plain JSON
 * @param block the name of the block with the parameters of the indexer
 */
export function configIdentity(
  config: Readonly<Record<string, unknown>>,
  group: string,
  configId: string | undefined,
  block: string | undefined,
): ConfigIdentity {
  if (configId !== undefined) return { id: configId, group };
  const indexer = objectOf(config['indexer']);
  const type = String(indexer['class'] ?? indexer['type'] ?? 'no indexer');
  const parameters = block === undefined ? {} : objectOf(config[block]);
  const places = PLACES.flatMap((name) => {
    const value = parameters[name];
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
    return texts.length === 0 ? [] : [`${name} ${texts.map(addressOf).sort().join(' ')}`];
  });
  return { id: group, group, destination: [type, ...places].join(', ') };
}

/** Returns an id as a part of a topic name. Characters that brokers refuse are replaced by a hash. */
export function topicPrefix({ id }: ConfigIdentity): string {
  if (isTopicName(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${id.replaceAll(/[^A-Za-z0-9._-]/g, '-')}-${digest}`;
}

/** Whose message it is: of this config, of a config whose own group reads it too, or of one with the same group. */
export type Owner = 'own' | 'other group' | 'same group';

/** @param of the identity in the message. Other programs write none, or anything */
export function ownerOf(of: ConfigIdentity | undefined, own: ConfigIdentity): Owner {
  if (typeof of?.id !== 'string' || typeof of.group !== 'string') return 'own';
  const isOther =
    of.id !== own.id ||
    (of.destination !== undefined && own.destination !== undefined && of.destination !== own.destination);
  if (!isOther) return 'own';
  return of.group === own.group ? 'same group' : 'other group';
}

/** Returns a config as messages name it. */
export function nameOf({ id, destination }: ConfigIdentity): string {
  return destination === undefined ? id : `${id} (${destination})`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
