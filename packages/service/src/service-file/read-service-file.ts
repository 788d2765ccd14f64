import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedCatalogs } from '@headrace/components';
import { hasErrors, inTextOrder, messageOf, type Problem, Registry, toFailure } from '@headrace/engine';
import { OVERLAPS, type Overlap } from '../api/overlap.ts';
import { presetDirectoryProblem } from '../configs/presets.ts';
import { unknownComponents } from '../policy/upload-policy.ts';
import {
  DECIDED_HOST,
  DEFAULT_HOST,
  DEFAULT_PORT,
  defaultSettings,
  type Limits,
  type ListenerSettings,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { unprotected } from '../settings/unprotected.ts';
import { readAuth } from './read-auth.ts';
import { readAllowedHosts, readAudit, readLog, readShutdown, readTrustedProxies } from './read-operations.ts';
import { readPolicy } from './read-policy.ts';
import { readSchedules } from './read-schedules.ts';
import type { Entry, YamlReader } from './yaml-reader.ts';

const MAX_PORT = 65_535;
/** Keys of Dropwizard that are similar to known keys. They are ignored with a warning. */
const REFERENCE_SERVER_KEYS = ['adminConnectors', 'adminContextPath', 'applicationContextPath', 'type'];
const CONNECTOR_KEYS = ['type', 'port', 'bindHost', 'keyStorePath', 'keyStorePassword'];
const REFERENCE_CONNECTOR_KEYS = [
  'keyStoreType',
  'keyStoreProvider',
  'trustStorePath',
  'trustStorePassword',
  'keyManagerPassword',
];
/** Directories that cannot be created: the recursive mkdir of Node never returns there. */
const NO_DIRECTORIES = /^\/(?:proc|sys|dev)(?:\/|$)/;

const SERVER_KEYS = ['applicationConnectors', 'port', 'host', 'tls', 'trustedProxies', 'allowedHosts'];

/** The minimum and maximum of each limit. */
const LIMITS: Readonly<Record<keyof Limits, readonly [min: number, max: number]>> = {
  maxConfigs: [1, 10_000_000],
  maxSchedules: [0, 10_000],
  minScheduleSeconds: [1, 24 * 3600],
  maxConfigVersions: [1, 10_000],
  maxRuns: [1, 10_000_000],
  maxFailureBytes: [0, 2 ** 40],
  maxLogBytes: [0, 2 ** 40],
  maxConfigBytes: [1024, 256 * 1024 * 1024],
  maxFileBytes: [0, 2 ** 40],
  maxFilesBytes: [0, 2 ** 50],
  maxConcurrentRuns: [1, 1024],
  maxQueuedRuns: [0, 1_000_000],
  runHeapMb: [32, 1024 * 1024],
  memoryMb: [16, 1024 * 1024],
  maxConnections: [1, 1_000_000],
  maxHeaders: [10, 2000],
  maxHeaderBytes: [1024, 1024 * 1024],
  headersTimeoutSeconds: [1, 3600],
  requestTimeoutSeconds: [1, 24 * 3600],
  keepAliveSeconds: [1, 3600],
  maxStreamsPerUser: [1, 100_000],
  maxStreamsPerRun: [1, 100_000],
  minFreeDiskMb: [0, 1024 * 1024 * 1024],
};

/**
 * Reads the service file. Reports all errors, each with its position. Keys of the reference that have no meaning here
 * cause warnings. Paths are relative to the working directory, as in the reference, but component modules are relative
 * to the file.
 * @returns no settings if there are errors
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
  // Load the YAML library only here, because a service without a file does not need it.
  const { YamlReader } = await import('./yaml-reader.ts');
  const reader = new YamlReader(text, path);
  if (hasErrors(reader.problems)) return { settings: undefined, problems: reader.problems };
  const settings = readSettings(reader, path);
  await checkComponents(reader, settings);
  return { settings: hasErrors(reader.problems) ? undefined : settings, problems: inTextOrder(reader.problems) };
}

/** Checks the component names in the policy. This needs the modules of the file, which may contain components. */
async function checkComponents(
  reader: YamlReader,
  { policy, components: modules, base }: ServiceSettings,
): Promise<void> {
  const own = reader.member(reader.root, 'components');
  const named = reader.member(reader.root, 'policy');
  const lists = named && reader.member(named, 'components');
  if (lists === undefined || modules.length !== reader.list(own).length) return;
  try {
    const registry = await Registry.open({ catalogs: installedCatalogs(), modules, base, allowModules: false });
    for (const { key, position, message, hint } of unknownComponents(policy, registry)) {
      const list = reader.member(lists, key);
      const place = list && reader.list(list)[position];
      if (place !== undefined) reader.error(place, message, hint);
    }
  } catch (error) {
    const { message, hint } = toFailure(error, 'HR_INTERNAL');
    reader.error(own ?? reader.root, message, hint);
  }
}

function readSettings(reader: YamlReader, path: string): ServiceSettings {
  const defaults = defaultSettings();
  const keys = reader.map(reader.root, [
    'presetConfig',
    'preventConcurrentRuns',
    'runs',
    'schedules',
    'auth',
    'server',
    'storage',
    'limits',
    'policy',
    'components',
    'log',
    'audit',
    'shutdown',
    'logging',
    'swagger',
    'metrics',
  ]);
  for (const key of ['logging', 'swagger', 'metrics']) {
    const entry = keys.get(key);
    if (entry !== undefined) reader.ignored(entry);
  }
  const preset = reader.map(keys.get('presetConfig'), ['configDirectoryPath', 'watch']);
  const presets = readPresets(reader, preset.get('configDirectoryPath'));
  const watch = preset.get('watch');
  const watchPresets = reader.flag(watch);
  if (watch !== undefined && watchPresets === true && !preset.has('configDirectoryPath')) {
    reader.error(watch, 'presetConfig.watch has no directory', 'Set presetConfig.configDirectoryPath.');
  }
  const auth = readAuth(reader, keys.get('auth'));
  const log = readLog(reader, keys.get('log'), defaults.log);
  const server = reader.mapOfSome(keys.get('server'), SERVER_KEYS, REFERENCE_SERVER_KEYS);
  const limits = readLimits(reader, keys.get('limits'), defaults.limits);
  const preventConcurrentRuns = reader.flag(keys.get('preventConcurrentRuns')) ?? defaults.preventConcurrentRuns;
  return {
    ...(presets === undefined ? {} : { presets }),
    ...(watchPresets === undefined ? {} : { watchPresets }),
    preventConcurrentRuns,
    overlap: readOverlap(reader, keys.get('runs'), preventConcurrentRuns) ?? defaults.overlap,
    ...(auth === undefined ? {} : { auth }),
    listeners: readListeners(reader, server, auth),
    storage: readStorage(reader, keys.get('storage'), defaults.storage),
    policy: readPolicy(reader, keys.get('policy')),
    limits,
    schedules: readSchedules(reader, keys.get('schedules'), {
      presets,
      minSeconds: limits.minScheduleSeconds,
      prevented: preventConcurrentRuns,
    }),
    log,
    ...readAudit(reader, keys.get('audit'), log, auth !== undefined && auth !== 'none'),
    shutdownGraceSeconds: readShutdown(reader, keys.get('shutdown')) ?? defaults.shutdownGraceSeconds,
    trustedProxies: readTrustedProxies(reader, server.get('trustedProxies')),
    allowedHosts: readAllowedHosts(reader, server.get('allowedHosts')),
    components: reader.list(keys.get('components')).flatMap((entry) => reader.text(entry) ?? []),
    base: pathToFileURL(`${dirname(resolve(path))}/`).href,
    file: resolve(path),
  };
}

function readPresets(reader: YamlReader, entry: Entry | undefined): string | undefined {
  const path = reader.text(entry);
  const problem = path === undefined ? undefined : presetDirectoryProblem(path);
  if (entry !== undefined && problem !== undefined) reader.error(entry, problem);
  return path;
}

function readListeners(
  reader: YamlReader,
  keys: ReadonlyMap<string, Entry>,
  auth: ServiceSettings['auth'],
): ListenerSettings[] {
  const host = readHost(reader, keys.get('host'), auth) ?? (auth === undefined ? DEFAULT_HOST : DECIDED_HOST);
  const port = reader.integer(keys.get('port'), 0, MAX_PORT);
  const tls = readPem(reader, keys.get('tls'));
  const connectors = reader
    .list(keys.get('applicationConnectors'))
    .flatMap((entry) => readConnector(reader, entry, host, auth) ?? []);
  const own = port !== undefined || tls !== undefined || connectors.length === 0;
  return own
    ? [{ host, port: port ?? DEFAULT_PORT, ...(tls === undefined ? {} : { tls }) }, ...connectors]
    : connectors;
}

/** Reads a host. A host that other machines can reach requires the setting `auth`. */
function readHost(reader: YamlReader, entry: Entry | undefined, auth: ServiceSettings['auth']): string | undefined {
  const host = reader.text(entry);
  const problem = host === undefined ? undefined : unprotected(host, auth);
  if (entry !== undefined && problem !== undefined) {
    reader.error(entry, problem.message, problem.hint, 'HR_SERVICE_UNPROTECTED');
  }
  return host;
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

function readConnector(
  reader: YamlReader,
  entry: Entry,
  defaultHost: string,
  auth: ServiceSettings['auth'],
): ListenerSettings | undefined {
  const keys = reader.mapOfSome(entry, CONNECTOR_KEYS, REFERENCE_CONNECTOR_KEYS);
  const type = reader.choice(keys.get('type'), ['http', 'https']) ?? 'http';
  const port = reader.integer(keys.get('port'), 0, MAX_PORT) ?? DEFAULT_PORT;
  const host = readHost(reader, keys.get('bindHost'), auth) ?? defaultHost;
  if (type === 'http') return { host, port };
  const keyStore = reader.text(keys.get('keyStorePath'));
  const password = reader.text(keys.get('keyStorePassword')) ?? '';
  if (keyStore === undefined) {
    reader.error(entry, `${entry.path} is https and has no keyStorePath`, 'Name a key store in PKCS12.');
    return undefined;
  }
  return { host, port, tls: { keyStore, password } };
}

function readOverlap(reader: YamlReader, entry: Entry | undefined, prevented: boolean): Overlap | undefined {
  const overlap = reader.map(entry, ['overlap']).get('overlap');
  const choice = reader.choice(overlap, OVERLAPS);
  if (overlap !== undefined && choice === 'allow' && prevented) {
    reader.error(overlap, 'preventConcurrentRuns does not allow what runs.overlap does', 'Remove one of them.');
  }
  return choice;
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
  const place = keys.get('path');
  if (path !== undefined && place !== undefined && NO_DIRECTORIES.test(resolve(path))) {
    reader.error(place, `storage.path ${path} is not on a disk`, 'Name a directory on a disk.');
  }
  return path === undefined ? defaults : { type, path };
}

function readLimits(reader: YamlReader, entry: Entry | undefined, defaults: Limits): Limits {
  const names = Object.keys(LIMITS) as (keyof Limits)[];
  const keys = reader.map(entry, names);
  const limits = { ...defaults };
  for (const name of names) limits[name] = reader.integer(keys.get(name), ...LIMITS[name]) ?? defaults[name];
  return limits;
}
