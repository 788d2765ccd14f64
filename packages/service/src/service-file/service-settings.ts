import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';

export type Role = 'reader' | 'operator' | 'admin';

/** A user of the service file. */
export interface UserSettings {
  name: string;
  role: Role;
  /** One of the two. A hash has the form that `hashPassword` gives. */
  password?: string;
  passwordHash?: string;
}

export interface AuthSettings {
  /** With no users: any user name with this password is let in. With users: it is the password of `admin`. */
  password?: string;
  users: readonly UserSettings[];
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
  /** Finished runs that are remembered. */
  maxRuns: number;
  maxConfigBytes: number;
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
  /** JavaScript heap of each thread of a run, in MiB. */
  runHeapMb: number;
}

/** How a service is set up. Paths are absolute, or relative to the working directory. */
export interface ServiceSettings {
  /** The directory of the presets. */
  presets?: string;
  preventConcurrentRuns: boolean;
  auth?: AuthSettings;
  listeners: readonly ListenerSettings[];
  storage: { type: 'sqlite'; path: string } | { type: 'memory' };
  limits: Limits;
  /** Modules of custom components, and the URL of the directory that relative ones start from. */
  components: readonly string[];
  base: string;
}

/** The settings of a service without a service file. */
export function defaultSettings(): ServiceSettings {
  return {
    preventConcurrentRuns: false,
    listeners: [{ host: DEFAULT_HOST, port: DEFAULT_PORT }],
    storage: { type: 'sqlite', path: DEFAULT_STORE },
    limits: {
      maxConfigs: 10_000,
      maxRuns: 10_000,
      maxConfigBytes: 10 * 1024 * 1024,
      maxConcurrentRuns: Math.max(1, availableParallelism()),
      maxQueuedRuns: 1000,
      runHeapMb: 1024,
    },
    components: [],
    base: pathToFileURL(`${process.cwd()}/`).href,
  };
}

/** As the reference, the service is reached from everywhere unless it is told otherwise. */
export const DEFAULT_HOST = '0.0.0.0';
export const DEFAULT_PORT = 8080;
export const DEFAULT_STORE = '.headrace';
