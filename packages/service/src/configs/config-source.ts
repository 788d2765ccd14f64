import type { ReadConfig, RegistrySource } from '@headrace/engine';

/** A resolved config. */
export type ConfigRoot = NonNullable<ReadConfig['root']>;

/** A value in it. */
export type ConfigNode = ConfigRoot | (ConfigRoot['entries'] extends Map<string, infer Child> ? Child : never);

/** What a run or a preview is started from: the real values, secrets included. */
export interface ConfigSource {
  root: ConfigRoot;
  /** The components that the config may use. */
  registry: RegistrySource;
  /** Whether it is a preset, whose scripts run outside a sandbox. */
  trusted: boolean;
  digest: string;
  /** Characters of its text, by which the memory that it takes is bounded; 0 for a preset, which is there in any case. */
  size: number;
}

/** Which config it is: an id, the name that people gave it, and the version; a preset has neither name nor versions. */
export interface ConfigIdentity {
  id: string;
  name: string | null;
  version: number | null;
}
