import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { DEFAULT_POLICY, type Policy } from '@headrace/engine';
import type { Overlap } from '../api/overlap.ts';

export type Role = 'reader' | 'operator' | 'admin';

/** A user of the service file. */
export interface UserSettings {
  name: string;
  role: Role;
  /** One of the two. A hash has the form that `hashPassword` gives. */
  password?: string;
  passwordHash?: string;
}

/** A token of the service file: what a program sends instead of a name and a password. */
export interface TokenSettings {
  name: string;
  role: Role;
  /** SHA-256 of the token, in hexadecimal. */
  sha256: string;
  /** Milliseconds since the epoch. */
  expires?: number;
}

export interface AuthSettings {
  /** With no users: any user name with this password is let in. With users: it is the password of `admin`. */
  password?: string;
  users: readonly UserSettings[];
  tokens?: readonly TokenSettings[];
}

/** What the log of the service tells, and how. */
export interface LogSettings {
  level: 'error' | 'warn' | 'info' | 'debug';
  /** `auto`: plain lines on a terminal, JSON otherwise. */
  format: 'auto' | 'json' | 'pretty';
  /** Whether each request gets a line. */
  requests: boolean;
}

/** Where records of who changed what go: to a file, or with the log. */
export interface AuditSettings {
  path?: string;
}

/** Where the service listens. */
export interface ListenerSettings {
  host: string;
  /** 0: one that is free. */
  port: number;
  /** HTTPS, with files in PEM or a key store in PKCS12. */
  tls?: { cert: string; key: string } | { keyStore: string; password: string };
}

export interface Limits {
  maxConfigs: number;
  /** Versions of each config that are kept, the current one included. */
  maxConfigVersions: number;
  /** Finished runs that are remembered. */
  maxRuns: number;
  /** Contents of the failed documents of all runs, and the logs of all runs, that are kept. */
  maxFailureBytes: number;
  maxLogBytes: number;
  maxConfigBytes: number;
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
  /** JavaScript heap of each thread of a run, in MiB. */
  runHeapMb: number;
  /** Open connections of each listener; further ones are closed at once. */
  maxConnections: number;
  /** Headers of a request, and their bytes with the request line. */
  maxHeaders: number;
  maxHeaderBytes: number;
  /** Time limits for receiving a request: its headers, and the whole request. */
  headersTimeoutSeconds: number;
  requestTimeoutSeconds: number;
  /** How long a connection stays open without a request. */
  keepAliveSeconds: number;
  /** Event streams that are open at a time: of a user (of all clients where there are no users), and of a run. */
  maxStreamsPerUser: number;
  maxStreamsPerRun: number;
  /** Free space on the disk of the store, below which the service is not ready. 0: it does not matter. */
  minFreeDiskMb: number;
}

/** How a service is set up. Paths are absolute, or relative to the working directory. */
export interface ServiceSettings {
  /** The directory of the presets. */
  presets?: string;
  /** One run of a config at a time, whatever a request says. */
  preventConcurrentRuns: boolean;
  /** What becomes of a run beside another one of its config, when its request does not say. */
  overlap: Overlap;
  /**
   * Who may use the service. `none`: everyone who can reach it, because the operator wrote so. Absent: not decided, and
   * the service listens on this machine only.
   */
  auth?: AuthSettings | 'none';
  listeners: readonly ListenerSettings[];
  storage: { type: 'sqlite'; path: string } | { type: 'memory' };
  limits: Limits;
  /** What uploaded configs may do. */
  policy: Policy;
  log: LogSettings;
  /** Absent: no records. */
  audit?: AuditSettings;
  /** How long runs may take to end at a shutdown; the last 12 seconds of it to stop, when they have not ended by themselves. */
  shutdownGraceSeconds: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** More names of the service, in lower case, with a port or without: what requests may say as `Host` and `Origin`. */
  allowedHosts: readonly string[];
  /** Modules of custom components, and the URL of the directory that relative ones start from. */
  components: readonly string[];
  base: string;
  /** The path of the service file. */
  file?: string;
}

/** The settings of a service without a service file. */
export function defaultSettings(): ServiceSettings {
  return {
    preventConcurrentRuns: false,
    overlap: 'allow',
    listeners: [{ host: DEFAULT_HOST, port: DEFAULT_PORT }],
    storage: { type: 'sqlite', path: DEFAULT_STORE },
    limits: {
      maxConfigs: 10_000,
      maxConfigVersions: 20,
      maxRuns: 10_000,
      maxFailureBytes: 1024 * 1024 * 1024,
      maxLogBytes: 1024 * 1024 * 1024,
      maxConfigBytes: 10 * 1024 * 1024,
      maxConcurrentRuns: Math.max(1, availableParallelism()),
      maxQueuedRuns: 1000,
      runHeapMb: 1024,
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
    components: [],
    base: pathToFileURL(`${process.cwd()}/`).href,
  };
}

/** Without users, the service is for this machine. */
export const DEFAULT_HOST = '127.0.0.1';
/** With users, or with `auth: none`, it listens on all addresses, as the reference does. */
export const DECIDED_HOST = '0.0.0.0';
export const DEFAULT_PORT = 8080;
export const DEFAULT_STORE = '.headrace';
