import type { ReadConfig, RegistrySource } from '@headrace/engine';

/** A resolved config. */
export type ConfigRoot = NonNullable<ReadConfig['root']>;

/** A value in a config. */
export type ConfigNode = ConfigRoot | (ConfigRoot['entries'] extends Map<string, infer Child> ? Child : never);

/** The config that a run or a preview starts from: the real values, including secrets. */
export interface ConfigSource {
  root: ConfigRoot;
  /** The components that the config may use. */
  registry: RegistrySource;
  /** Whether this is a preset. Scripts of presets run outside a sandbox. */
  trusted: boolean;
  digest: string;
  /**
   * The length of the text in characters, to limit the memory of waiting runs. 0 for a preset, which is in memory
   * anyway.
   */
  size: number;
}

/** Identifies a config: its id, its name and its version. A preset has neither name nor version. */
export interface ConfigIdentity {
  id: string;
  name: string | null;
  version: number | null;
}
