import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { DEFAULT_POLICY, defaultMemoryMb, machineBytes, type Policy } from '@headrace/engine';
import type { Overlap } from '../api/overlap.ts';
import type { ScheduleSettings } from '../api/schedule.ts';
import { runMemory } from './run-memory.ts';

export type Role = 'reader' | 'operator' | 'admin';

/** A user in the service file. */
export interface UserSettings {
  name: string;
  role: Role;
  /** Exactly one of the two is set. The hash has the format of `hashPassword`. */
  password?: string;
  passwordHash?: string;
}

/** A token in the service file. Programs send it instead of a name and a password. */
export interface TokenSettings {
  name: string;
  role: Role;
  /** SHA-256 of the token, in hexadecimal. */
  sha256: string;
  /** The time of expiry, in milliseconds since the epoch. */
  expires?: number;
}

export interface AuthSettings {
  /** Without users, any user name with this password is accepted. With users, it is the password of `admin`. */
  password?: string;
  users: readonly UserSettings[];
  tokens?: readonly TokenSettings[];
}

/** The level and format of the service log. */
export interface LogSettings {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** `auto` writes plain lines to a terminal, and JSON otherwise. */
  format: 'auto' | 'json' | 'pretty';
  /** Whether each request is logged. */
  requests: boolean;
}

/** The file of the audit log. Without a path, audit records are written to the service log. */
export interface AuditSettings {
  path?: string;
}

/** An address and port where the service listens. */
export interface ListenerSettings {
  host: string;
  /** The port. 0 selects a free port. */
  port: number;
  /** Enables HTTPS, with PEM files or a PKCS12 key store. */
  tls?: { cert: string; key: string } | { keyStore: string; password: string };
}

export interface Limits {
  maxConfigs: number;
  maxSchedules: number;
  /** The minimum time between two times of a schedule. */
  minScheduleSeconds: number;
  /** The maximum number of stored versions per config, including the current one. */
  maxConfigVersions: number;
  /** The maximum number of stored runs. The oldest finished runs are deleted. */
  maxRuns: number;
  /** The maximum bytes of the failed documents of all runs, and of the logs of all runs. */
  maxFailureBytes: number;
  maxLogBytes: number;
  maxConfigBytes: number;
  /** The maximum bytes of an uploaded file, and of all uploaded files. */
  maxFileBytes: number;
  maxFilesBytes: number;
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
  /** The JavaScript heap of each thread of a run, in MiB. */
  runHeapMb: number;
  /** The memory for large values of all runs together, outside the heaps, in MiB. */
  memoryMb: number;
  /** The maximum number of open connections per listener. Further connections are closed immediately. */
  maxConnections: number;
  /** The maximum number of headers of a request, and the maximum bytes of the headers and the request line. */
  maxHeaders: number;
  maxHeaderBytes: number;
  /** The time limits for receiving the headers of a request, and the whole request. */
  headersTimeoutSeconds: number;
  requestTimeoutSeconds: number;
  /** How long an idle connection stays open. */
  keepAliveSeconds: number;
  /** The maximum number of open event streams per user and per run. Without users, all clients count as one user. */
  maxStreamsPerUser: number;
  maxStreamsPerRun: number;
  /** The minimum free space on the disk of the store. With less, the service is not ready. 0 disables the check. */
  minFreeDiskMb: number;
}

/** The settings of a service. Paths are absolute, or relative to the working directory. */
export interface ServiceSettings {
  /** The directory of the presets. */
  presets?: string;
  /** Whether presets are read again when their files change. */
  watchPresets?: boolean;
  /** Allow only one run of a config at a time, even if a request specifies something else. */
  preventConcurrentRuns: boolean;
  /** The overlap of runs whose request does not specify one. */
  overlap: Overlap;
  /**
   * Who may use the service. `none`: everyone who can reach it, because the operator decided so. Absent: the operator
   * has not decided, and the service listens only on this machine.
   */
  auth?: AuthSettings | 'none';
  listeners: readonly ListenerSettings[];
  storage: { type: 'sqlite'; path: string } | { type: 'memory' };
  limits: Limits;
  /** The policy of uploaded configs. */
  policy: Policy;
  log: LogSettings;
  /** Absent if there is no audit log. */
  audit?: AuditSettings;
  /**
   * How long runs may take to end at a shutdown. In the last 12 seconds, the service stops runs that are still running.
   */
  shutdownGraceSeconds: number;
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /**
   * Additional names of the service that are accepted in `Host` and `Origin`, in lower case, with or without a port.
   */
  allowedHosts: readonly string[];
  /** The schedules of presets in the service file, by the name of the preset. */
  schedules: ReadonlyMap<string, ScheduleSettings>;
  /** The modules of custom components, and the URL of the directory that relative modules start from. */
  components: readonly string[];
  base: string;
  /** The path of the service file. */
  file?: string;
}

/** The settings of a service without a service file. */
export function defaultSettings(): ServiceSettings {
  const memoryMb = defaultMemoryMb();
  return {
    preventConcurrentRuns: false,
    overlap: 'allow',
    listeners: [{ host: DEFAULT_HOST, port: DEFAULT_PORT }],
    storage: { type: 'sqlite', path: DEFAULT_STORE },
    limits: {
      maxConfigs: 10_000,
      maxSchedules: 1_000,
      minScheduleSeconds: 60,
      maxConfigVersions: 20,
      maxRuns: 10_000,
      maxFailureBytes: 1024 * 1024 * 1024,
      maxLogBytes: 1024 * 1024 * 1024,
      maxConfigBytes: 10 * 1024 * 1024,
      maxFileBytes: 1024 * 1024 * 1024,
      maxFilesBytes: 10 * 1024 * 1024 * 1024,
      maxQueuedRuns: 1000,
      memoryMb,
      ...runMemory(machineBytes() / 2 ** 20, memoryMb, availableParallelism()),
      maxConnections: 10_000,
      maxHeaders: 200,
      maxHeaderBytes: 16 * 1024,
      headersTimeoutSeconds: 20,
      requestTimeoutSeconds: 120,
      keepAliveSeconds: 72,
      maxStreamsPerUser: 100,
      maxStreamsPerRun: 200,
      minFreeDiskMb: 50,
    },
    policy: DEFAULT_POLICY,
    log: { level: 'info', format: 'auto', requests: false },
    shutdownGraceSeconds: 12,
    trustedProxies: [],
    allowedHosts: [],
    schedules: new Map(),
    components: [],
    base: pathToFileURL(`${process.cwd()}/`).href,
  };
}

/** The default host without `auth`: only this machine can reach the service. */
export const DEFAULT_HOST = '127.0.0.1';
/** The default host with users or `auth: none`: all addresses, as in the reference. */
export const DECIDED_HOST = '0.0.0.0';
export const DEFAULT_PORT = 8080;
export const DEFAULT_STORE = '.headrace';
