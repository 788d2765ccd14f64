import { resolve } from 'node:path';
import {
  DEFAULT_POLICY,
  POLICY_LIMITS,
  type Policy,
  type PolicyLimits,
  parseHostPattern,
  STRICT_POLICY,
} from '@headrace/engine';
import type { Entry, YamlReader } from './yaml-reader.ts';

const BASES = { default: DEFAULT_POLICY, strict: STRICT_POLICY } as const;
const MAX_LIMIT = 2 ** 31 - 1;
const NAMES = ['default', 'strict'] as const;

/** Reads `policy`: what uploaded configs may do. It is the name of a built-in policy, or a map that changes one. */
export function readPolicy(reader: YamlReader, entry: Entry | undefined): Policy {
  if (entry === undefined) return DEFAULT_POLICY;
  if (!reader.isMap(entry)) return BASES[reader.choice(entry, NAMES) ?? 'default'];
  const keys = reader.map(entry, [
    'base',
    'components',
    'read',
    'write',
    'hosts',
    'privateAddresses',
    'scripts',
    'limits',
  ]);
  const base = BASES[reader.choice(keys.get('base'), NAMES) ?? 'default'];
  const components = reader.map(keys.get('components'), ['allow', 'deny']);
  const hosts = reader.map(keys.get('hosts'), ['allow', 'deny']);
  return {
    name: 'own',
    components: {
      allow: texts(reader, components.get('allow')) ?? base.components.allow,
      deny: texts(reader, components.get('deny')) ?? base.components.deny,
    },
    read: paths(reader, keys.get('read')) ?? base.read,
    write: paths(reader, keys.get('write')) ?? base.write,
    never: base.never,
    hosts: {
      allow: patterns(reader, hosts.get('allow')) ?? base.hosts.allow,
      deny: patterns(reader, hosts.get('deny')) ?? base.hosts.deny,
    },
    privateAddresses: reader.flag(keys.get('privateAddresses')) ?? base.privateAddresses,
    scripts: reader.choice(keys.get('scripts'), ['none', 'sandbox', 'all']) ?? base.scripts,
    limits: limits(reader, keys.get('limits'), base.limits),
  };
}

/** Reads the limits of a policy. The value 0 removes a limit of the base policy. */
function limits(reader: YamlReader, entry: Entry | undefined, base: PolicyLimits): PolicyLimits {
  const keys = reader.map(entry, POLICY_LIMITS);
  const given = POLICY_LIMITS.map((name) => {
    const limit = reader.integer(keys.get(name), 0, MAX_LIMIT);
    return [name, limit === 0 ? undefined : (limit ?? base[name])] as const;
  });
  return Object.fromEntries(given.filter(([, limit]) => limit !== undefined));
}

function texts(reader: YamlReader, entry: Entry | undefined): string[] | undefined {
  return entry === undefined ? undefined : reader.list(entry).flatMap((item) => reader.text(item) ?? []);
}

function paths(reader: YamlReader, entry: Entry | undefined): string[] | undefined {
  return texts(reader, entry)?.map((path) => resolve(path));
}

function patterns(reader: YamlReader, entry: Entry | undefined): string[] | undefined {
  if (entry === undefined) return undefined;
  return reader.list(entry).flatMap((item) => {
    const text = reader.text(item);
    if (text === undefined || parseHostPattern(text) !== undefined) return text ?? [];
    const forms = 'a name (example.org), all below one (*.example.org), an address, or a network (10.0.0.0/8)';
    reader.error(item, `${item.path} is not a host`, `Write ${forms}, with :port after it or not; or * for all.`);
    return [];
  });
}
