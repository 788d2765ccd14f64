import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hasErrors, messageOf, type Problem } from '@headrace/engine';
import { parsePasswordHash } from '../auth/password-hash.ts';
import {
  type AuthSettings,
  DEFAULT_HOST,
  DEFAULT_PORT,
  defaultSettings,
  type Limits,
  type ListenerSettings,
  type Role,
  type ServiceSettings,
  type UserSettings,
} from './service-settings.ts';
import type { Entry, YamlReader } from './yaml-reader.ts';

const MAX_PORT = 65_535;
const ROLES: readonly Role[] = ['reader', 'operator', 'admin'];

/** Bounds of each limit. */
const LIMITS: Readonly<Record<keyof Limits, readonly [min: number, max: number]>> = {
  maxConfigs: [1, 10_000_000],
  maxRuns: [1, 10_000_000],
  maxConfigBytes: [1024, 256 * 1024 * 1024],
  maxConcurrentRuns: [1, 1024],
  maxQueuedRuns: [0, 1_000_000],
  runHeapMb: [32, 1024 * 1024],
};

/**
 * Reads the file that sets up a service. Everything wrong with it is found at once, each with its place; warnings name
 * the keys of the reference that have no meaning here. Paths in it start from the working directory, as the
 * reference's do; modules of components start from the file.
 * @returns no settings when there are errors
 */
export async function readServiceFile(
  path: string,
): Promise<{ settings: ServiceSettings | undefined; problems: Problem[] }> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const message = `The service file cannot be read: ${messageOf(error)}`;
    return {
      settings: undefined,
      problems: [{ severity: 'error', code: 'HR_SOURCE_UNREADABLE', path: '', file: path, message }],
    };
  }
  // A service without a file needs no YAML.
  const { YamlReader } = await import('./yaml-reader.ts');
  const reader = new YamlReader(text, path);
  if (hasErrors(reader.problems)) return { settings: undefined, problems: reader.problems };
  const settings = readSettings(reader, path);
  return { settings: hasErrors(reader.problems) ? undefined : settings, problems: reader.problems };
}

function readSettings(reader: YamlReader, path: string): ServiceSettings {
  const defaults = defaultSettings();
  const keys = reader.map(reader.root, [
    'presetConfig',
    'preventConcurrentRuns',
    'auth',
    'server',
    'storage',
    'limits',
    'components',
    'logging',
    'swagger',
    'metrics',
  ]);
  for (const key of ['logging', 'swagger', 'metrics']) {
    const entry = keys.get(key);
    if (entry !== undefined) reader.ignored(entry);
  }
  const preset = reader.map(keys.get('presetConfig'), ['configDirectoryPath']);
  const presets = reader.text(preset.get('configDirectoryPath'));
  const auth = readAuth(reader, keys.get('auth'));
  return {
    ...(presets === undefined ? {} : { presets }),
    preventConcurrentRuns: reader.flag(keys.get('preventConcurrentRuns')) ?? defaults.preventConcurrentRuns,
    ...(auth === undefined ? {} : { auth }),
    listeners: readListeners(reader, keys.get('server')),
    storage: readStorage(reader, keys.get('storage'), defaults.storage),
    limits: readLimits(reader, keys.get('limits'), defaults.limits),
    components: reader.list(keys.get('components')).flatMap((entry) => reader.text(entry) ?? []),
    base: pathToFileURL(`${dirname(resolve(path))}/`).href,
  };
}

function readAuth(reader: YamlReader, auth: Entry | undefined): AuthSettings | undefined {
  if (auth === undefined) return undefined;
  const keys = reader.map(auth, ['type', 'enabled', 'password', 'users']);
  const type = reader.choice(keys.get('type'), ['basicAuth']);
  const password = reader.text(keys.get('password'));
  const users = reader.list(keys.get('users')).flatMap((entry) => readUser(reader, entry) ?? []);
  if (reader.flag(keys.get('enabled')) === false) return undefined;
  if (!keys.has('type')) reader.error(auth, 'auth is enabled and has no type', 'Add type: basicAuth.');
  if (password === undefined && users.length === 0 && type !== undefined) {
    reader.error(auth, 'auth is enabled and nobody could log in', 'Add password: … or users: [ … ].');
  }
  const names = new Set<string>();
  for (const [i, { name }] of users.entries()) {
    if (names.has(name)) reader.error({ ...auth, path: `auth.users[${i}].name` }, `There are two users ${name}`);
    names.add(name);
  }
  return { users, ...(password === undefined ? {} : { password }) };
}

function readUser(reader: YamlReader, entry: Entry): UserSettings | undefined {
  const keys = reader.map(entry, ['name', 'password', 'passwordHash', 'role']);
  const name = reader.text(keys.get('name'));
  const password = reader.text(keys.get('password'));
  const hash = keys.get('passwordHash');
  const passwordHash = reader.text(hash);
  const role = reader.choice(keys.get('role'), ROLES);
  for (const key of ['name', 'role']) if (!keys.has(key)) reader.error(entry, `${entry.path} has no ${key}`);
  if ((password === undefined) === (passwordHash === undefined)) {
    reader.error(entry, `${entry.path} needs either password or passwordHash`);
  }
  if (hash !== undefined && passwordHash !== undefined && parsePasswordHash(passwordHash) === undefined) {
    reader.error(hash, `${hash.path} is not a scrypt hash`, 'Its form is $scrypt$ln=15,r=8,p=1$<salt>$<key>.');
  }
  if (name === undefined || role === undefined) return undefined;
  return {
    name,
    role,
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
}

function readListeners(reader: YamlReader, server: Entry | undefined): ListenerSettings[] {
  const keys = reader.mapOfSome(server, ['applicationConnectors', 'port', 'host', 'tls']);
  const host = reader.text(keys.get('host')) ?? DEFAULT_HOST;
  const port = reader.integer(keys.get('port'), 0, MAX_PORT);
  const tls = readPem(reader, keys.get('tls'));
  const connectors = reader
    .list(keys.get('applicationConnectors'))
    .flatMap((entry) => readConnector(reader, entry, host) ?? []);
  const own = port !== undefined || tls !== undefined || connectors.length === 0;
  return own
    ? [{ host, port: port ?? DEFAULT_PORT, ...(tls === undefined ? {} : { tls }) }, ...connectors]
    : connectors;
}

function readPem(reader: YamlReader, entry: Entry | undefined): { cert: string; key: string } | undefined {
  if (entry === undefined) return undefined;
  const keys = reader.map(entry, ['cert', 'key']);
  const cert = reader.text(keys.get('cert'));
  const key = reader.text(keys.get('key'));
  for (const name of ['cert', 'key']) {
    if (!keys.has(name)) reader.error(entry, `${entry.path} has no ${name}`, 'Both are paths of files in PEM.');
  }
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function readConnector(reader: YamlReader, entry: Entry, defaultHost: string): ListenerSettings | undefined {
  const keys = reader.mapOfSome(entry, ['type', 'port', 'bindHost', 'keyStorePath', 'keyStorePassword']);
  const type = reader.choice(keys.get('type'), ['http', 'https']) ?? 'http';
  const port = reader.integer(keys.get('port'), 0, MAX_PORT) ?? DEFAULT_PORT;
  const host = reader.text(keys.get('bindHost')) ?? defaultHost;
  if (type === 'http') return { host, port };
  const keyStore = reader.text(keys.get('keyStorePath'));
  const password = reader.text(keys.get('keyStorePassword')) ?? '';
  if (keyStore === undefined) {
    reader.error(entry, `${entry.path} is https and has no keyStorePath`, 'Name a key store in PKCS12.');
    return undefined;
  }
  return { host, port, tls: { keyStore, password } };
}

function readStorage(
  reader: YamlReader,
  entry: Entry | undefined,
  defaults: ServiceSettings['storage'],
): ServiceSettings['storage'] {
  const keys = reader.map(entry, ['type', 'path']);
  const type = reader.choice(keys.get('type'), ['sqlite', 'memory']) ?? 'sqlite';
  const path = reader.text(keys.get('path'));
  if (type === 'memory') return { type };
  return path === undefined ? defaults : { type, path };
}

function readLimits(reader: YamlReader, entry: Entry | undefined, defaults: Limits): Limits {
  const names = Object.keys(LIMITS) as (keyof Limits)[];
  const keys = reader.map(entry, names);
  const limits = { ...defaults };
  for (const name of names) limits[name] = reader.integer(keys.get(name), ...LIMITS[name]) ?? defaults[name];
  return limits;
}
