import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installedCatalogs } from '@headrace/components';
import {
  counted,
  describePolicy,
  HeadraceError,
  type LogRecord,
  machineBytes,
  messageOf,
  Registry,
  withHint,
} from '@headrace/engine';
import type { FastifyBaseLogger } from 'fastify';
import { AuditLog, type AuditRecord } from './audit/audit-log.ts';
import { Authenticator } from './auth/authenticator.ts';
import { Configs } from './configs/configs.ts';
import { PresetFolder } from './configs/preset-folder.ts';
import { presetDirectoryProblem } from './configs/presets.ts';
import { UploadReader } from './configs/upload-reader.ts';
import { UploadedFiles } from './files/uploaded-files.ts';
import { buildApp } from './http/app.ts';
import { buildInfo } from './http/build-info.ts';
import { type Listener, listen } from './http/listeners.ts';
import { Readiness } from './http/readiness.ts';
import type { ServiceParts } from './http/service-parts.ts';
import { checkPolicyNames, uploadPolicy, withBoundary } from './policy/upload-policy.ts';
import type { RunIds } from './runs/active-run.ts';
import { endInterruptedRuns } from './runs/interrupted-runs.ts';
import { type PreviewStarter, Previews } from './runs/previews.ts';
import { RepeatedRequests } from './runs/repeated-requests.ts';
import { RunCreator } from './runs/run-creator.ts';
import type { RunIntervals } from './runs/run-intervals.ts';
import { RunManager, type RunStarter } from './runs/run-manager.ts';
import { RunRetries } from './runs/run-retries.ts';
import { RunRollbacks } from './runs/run-rollbacks.ts';
import { ThreadsOnDemand } from './runs/threads-on-demand.ts';
import { type ScheduleClock, systemClock } from './schedules/schedule-clock.ts';
import type { DueRun } from './schedules/schedule-starter.ts';
import { Schedules } from './schedules/schedules.ts';
import { memoryWarning } from './settings/run-memory.ts';
import { defaultSettings, type ServiceSettings } from './settings/service-settings.ts';
import { unprotected } from './settings/unprotected.ts';
import { silentLogger } from './silent-logger.ts';
import { directoryBytes } from './stats/disk.ts';
import { Measurements } from './stats/measurements.ts';
import type { ServiceMetrics } from './stats/service-metrics.ts';
import { SystemHistory } from './stats/system-history.ts';
import { SystemMeter } from './stats/system-stats.ts';
import { MemoryStore } from './store/memory-store.ts';
import { SqliteStore } from './store/sqlite-store.ts';
import type { Store } from './store/store.ts';

/**
 * The maximum time that a run needs to stop. Before that, it may use the rest of the shutdown grace to finish normally.
 */
const STOP_MILLIS = 12_000;
/** At a shutdown, how long requests may take after the runs have ended, and how long threads may take after that. */
const REQUEST_GRACE_MILLIS = 3_000;
const THREAD_GRACE_MILLIS = 3_000;
/** How often the store is probed with a write. */
const PROBE_MILLIS = 5_000;

export interface ServiceOptions {
  /** Default: the settings of a service without a service file. */
  settings?: ServiceSettings;
  /** A pino logger, or a compatible one. Default: no logging. */
  logger?: FastifyBaseLogger;
  /** URLs of component catalogs. Default: the built-in components. */
  catalogs?: readonly string[];
  /** The environment variables that presets may use. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Executes runs and previews. Default: the engine's threads. */
  threads?: RunStarter & PreviewStarter & { close(): Promise<void> };
  /** Default: the store from the settings. */
  store?: Store;
  /** The clock of the schedules. Default: the clock of the machine. */
  scheduleClock?: ScheduleClock;
  /** How often active runs are stored and reported. Default: every second at most. */
  runIntervals?: RunIntervals;
}

/** A service that accepts requests. */
export interface RunningService {
  /** The URLs of the service, one per listener. */
  readonly urls: readonly string[];
  /**
   * Reads the presets again. Resolves when they are in use. Never rejects. Returns undefined if the service has no preset
   * directory.
   */
  reloadPresets(): Promise<void> | undefined;
  /**
   * Shuts down in order: new runs are refused, active runs end as `INTERRUPTED`, then the ports and the store close.
   * @returns whether a thread of a run hangs, which would keep the process alive forever
   */
  close(): Promise<{ hanging: boolean }>;
}

/**
 * Starts the service. Resolves when the presets are loaded; until then the service answers that it is not ready. If the
 * start fails, closes everything again and rejects with a message that says what is wrong and what to do.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const {
    settings = defaultSettings(),
    logger = silentLogger,
    catalogs = installedCatalogs(),
    env = process.env,
  } = options;
  const noPresets = settings.presets === undefined ? undefined : presetDirectoryProblem(settings.presets);
  if (noPresets !== undefined) throw new Error(noPresets);
  for (const { host } of settings.listeners) {
    // Check this again for settings that do not come from a service file. The reader of the file also reports the line.
    const problem = unprotected(host, settings.auth);
    if (problem !== undefined) throw new HeadraceError('HR_SERVICE_UNPROTECTED', withHint(problem));
  }
  const { components, base } = settings;
  const files = new UploadedFiles(filesDirectory(settings), settings.limits);
  const policy = await withBoundary(uploadPolicy(settings, files.directory));
  const registry = await Registry.open({
    catalogs,
    modules: components,
    base,
    allowModules: false,
    policy,
    localOnly: true,
  });
  checkPolicyNames(policy, registry);
  const { version } = buildInfo;
  const measurements = new Measurements(version);
  const undo: (() => unknown)[] = [() => measurements.close()];
  try {
    const store = options.store ?? openStore(settings, measurements.service, logger);
    undo.push(() => store.close());
    if (settings.storage.type === 'memory') undo.push(() => rm(files.directory, { recursive: true, force: true }));
    await files.clean();
    const { directory } = store;
    if (directory !== undefined) measurements.service.storeBytes = () => directoryBytes(directory);
    const audit = settings.audit === undefined ? undefined : new AuditLog(settings.audit, logger);
    undo.push(() => audit?.close());
    const interrupted = await endInterruptedRuns(store);
    if (interrupted > 0) {
      const runs = counted(interrupted, 'run was', 'runs were');
      logger.warn(`${runs} interrupted when the service last ended`);
    }
    const journals = directory === undefined ? undefined : join(directory, 'journals');
    const threads = options.threads ?? new ThreadsOnDemand(settings.limits, journals);
    let hanging = false;
    undo.push(async () => {
      hanging = !(await endThreads(threads, logger));
    });
    const reader = new UploadReader(registry);
    undo.push(() => reader.close());
    const clock = options.scheduleClock ?? systemClock;
    const { runIntervals } = options;
    const parts = makeParts({
      settings,
      logger,
      registry,
      reader,
      measurements,
      store,
      threads,
      audit,
      files,
      clock,
      runIntervals,
    });
    const { runs, configs, schedules, readiness, history } = parts;
    const runGraceMillis = settings.shutdownGraceSeconds * 1000;
    const stopMillis = Math.min(runGraceMillis, STOP_MILLIS);
    undo.push(() => runs.close(stopMillis));
    undo.push(() => schedules.close());
    const app = await buildApp(parts);
    undo.push(() => app.close());
    await readiness.probe();
    const prober = setInterval(() => void readiness.probe(), PROBE_MILLIS).unref();
    undo.push(() => clearInterval(prober));
    history.start((error) => logger.warn(error, 'The state of the system could not be measured'));
    undo.push(() => history.close());
    logger.info(describePolicy(policy));
    const { memoryMb, runHeapMb, maxConcurrentRuns } = settings.limits;
    logger.info(
      `Memory: ${memoryMb} MiB for large values of all runs, half of it for one document; a heap of ${runHeapMb} MiB for each thread of a run; at most ${counted(maxConcurrentRuns, 'run')} at a time`,
    );
    const tooMuch = memoryWarning(machineBytes() / 2 ** 20, settings.limits);
    if (tooMuch !== undefined) logger.warn(tooMuch);
    const auth = settings.auth === 'none' ? undefined : settings.auth;
    if (settings.auth === 'none') {
      logger.warn('Authentication is off in the service file: anyone who can reach the service may use it');
    } else if (auth === undefined) {
      logger.warn('The service file has no auth: every user and program of this machine may use the service');
    }
    for (const { name, expires } of auth?.tokens ?? []) {
      if (expires === undefined || expires > Date.now()) continue;
      logger.warn(`The token ${name} expired at ${new Date(expires).toISOString()}: it no longer works`);
    }
    const listeners: Listener[] = [];
    measurements.service.connections = () => listeners.reduce((sum, listener) => sum + listener.connections(), 0);
    undo.push(() => Promise.all(listeners.map((listener) => listener.close(REQUEST_GRACE_MILLIS))));
    for (const each of settings.listeners) {
      const listener = await listen(each, settings.limits, app.routing, () => measurements.service.connectionRefused());
      listeners.push(listener);
      logger.info(`Listening on ${listener.bound}`);
    }
    let presets: PresetFolder | undefined;
    if (settings.presets !== undefined) {
      presets = new PresetFolder(settings.presets, {
        env: definedValues(env),
        registry: { catalogs, modules: moduleUrls(registry, components), localOnly: true },
        info: (message) => logger.info(message),
        warn: (message) => logger.warn(message),
        onChange: (changed) => configs.setPresets(changed),
      });
      const folder = presets;
      undo.push(() => folder.close());
      await presets.load();
      measurements.service.presets = presets;
      if (settings.watchPresets === true) presets.watch();
    }
    await schedules.start(settings.schedules);
    readiness.presetsLoaded = true;
    let closing: Promise<{ hanging: boolean }> | undefined;
    const close = async () => {
      readiness.shuttingDown = true;
      // The ports stay open while the runs end, so that probes can see the shutdown.
      schedules.stop();
      runs.refuseRuns();
      await runs.idle(runGraceMillis - stopMillis);
      await runs.close(stopMillis);
      await closeAll(undo);
      return { hanging };
    };
    return {
      urls: listeners.map((listener) => listener.url),
      reloadPresets: () => presets?.reload(),
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await closeAll(undo).catch((failure) => logger.error(failure, 'Closing failed after the start failed'));
    throw error;
  }
}

function makeParts({
  settings,
  logger,
  registry,
  reader,
  measurements,
  store,
  threads,
  audit,
  files,
  clock,
  runIntervals,
}: {
  settings: ServiceSettings;
  logger: FastifyBaseLogger;
  registry: Registry;
  reader: UploadReader;
  measurements: Measurements;
  store: Store;
  audit: AuditLog | undefined;
  files: UploadedFiles;
  threads: RunStarter & PreviewStarter;
  clock: ScheduleClock;
  runIntervals: RunIntervals | undefined;
}): ServiceParts {
  const { limits, overlap, preventConcurrentRuns } = settings;
  const directory = store.directory ?? process.cwd();
  const configs = new Configs({
    store,
    reader,
    maxConfigs: limits.maxConfigs,
    maxVersions: limits.maxConfigVersions,
    onAdded: () => threads.prepare?.(registry.loadedModules),
    onDeleted: (id) => schedules.forget(id),
  });
  const runs = new RunManager({
    store,
    starter: threads,
    metrics: measurements.runs,
    limits,
    intervals: runIntervals,
    onLog: (run, record) => logRun(logger, run, record),
    onError: (message, error) => logger.error(error, message),
  });
  const repeats = new RepeatedRequests({ runs, store });
  const creator = new RunCreator({ configs, runs, repeats, overlap, preventConcurrentRuns });
  const schedules: Schedules = new Schedules({
    store,
    configs,
    runs,
    creator,
    metrics: measurements.schedules,
    clock,
    limits,
    warn: (message) => logger.warn(message),
    onDue: (due) => audit?.add(dueRecord(due)),
  });
  const previews = new Previews(threads);
  return {
    configs,
    reader,
    runs,
    creator,
    schedules,
    retries: new RunRetries({ configs, runs, repeats, store, preventConcurrentRuns }),
    rollbacks: new RunRollbacks({ configs, runs, store, previews }),
    previews,
    files,
    registry,
    readiness: new Readiness(store, measurements.loop, limits.minFreeDiskMb),
    measurements,
    system: new SystemMeter(directory),
    history: new SystemHistory(new SystemMeter(directory), measurements.dropwizard),
    authenticator:
      settings.auth === undefined || settings.auth === 'none' ? undefined : new Authenticator(settings.auth),
    logger,
    maxConfigBytes: limits.maxConfigBytes,
    settings,
    audit,
  };
}

/** Returns the audit record of a run that a schedule has started, or could not start. */
function dueRecord({ user, configId, runId }: DueRun): AuditRecord {
  const started = runId !== undefined;
  return {
    requestId: null,
    user,
    role: null,
    address: null,
    action: 'schedule',
    target: configId,
    ...(started ? { made: runId } : {}),
    outcome: started ? 'done' : 'failed',
    status: null,
  };
}

/**
 * Ends the threads. Returns whether all of them have ended within the grace time. A thread that hangs in a system call
 * or a library does not end, for example in a read from a pipe or a SQLite query. The store is closed anyway.
 */
async function endThreads(threads: { close(): Promise<void> }, logger: FastifyBaseLogger): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), THREAD_GRACE_MILLIS);
  });
  const isLate = (await Promise.race([threads.close(), late])) === 'late';
  clearTimeout(timer);
  if (isLate) logger.warn('A run thread hangs and cannot be stopped: the process must be killed (SIGKILL)');
  return !isLate;
}

/** Closes everything in reverse order. If one close fails, the others still run. */
async function closeAll(undo: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of [...undo].reverse()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `The service could not be closed completely: ${messageOf(errors[0])}`);
}

/**
 * Returns the directory of uploaded files: in the store, or a temporary one that ends with the service. The directory of
 * the store is on the disk that the operator chose for data.
 */
function filesDirectory({ storage }: ServiceSettings): string {
  return storage.type === 'memory'
    ? join(tmpdir(), `headrace-files-${randomUUID()}`)
    : join(resolve(storage.path), 'files');
}

function openStore({ storage }: ServiceSettings, metrics: ServiceMetrics, logger: FastifyBaseLogger): Store {
  if (storage.type === 'memory') return new MemoryStore();
  return new SqliteStore(resolve(storage.path), {
    onCommit: (seconds) => metrics.committed(seconds),
    onFailure: () => metrics.storeFailed(),
    warn: (message) => logger.warn(message),
  });
}

/**
 * Returns the URLs of the modules in the service file. Relative paths there are resolved from that file, but presets
 * would resolve them from their directory.
 */
function moduleUrls(registry: Registry, components: readonly string[]): string[] {
  const known = (['connector', 'stage', 'indexer'] as const).flatMap((kind) => registry.list(kind));
  const urls = known.filter((entry) => components.includes(entry.package)).map((entry) => entry.module);
  return [...new Set(urls)];
}

function logRun(logger: FastifyBaseLogger, run: RunIds, { level, logger: name, message, fields }: LogRecord): void {
  logger[level]({ ...fields, ...run, logger: name }, message);
}

function definedValues(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
