import type { ReadConfig, RegistrySource } from '@headrace/engine';

/** A resolved config. */
export type ConfigRoot = NonNullable<ReadConfig['root']>;

/** What a run or a preview is started from: the real values, secrets included. */
export interface ConfigSource {
  root: ConfigRoot;
  /** The components that the config may use. */
  registry: RegistrySource;
  /** Whether it is a preset, whose scripts run outside a sandbox. */
  trusted: boolean;
  digest: string;
}
