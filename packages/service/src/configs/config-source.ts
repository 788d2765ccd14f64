import type { ReadConfig, RegistrySource } from '@headrace/engine';

/** A resolved config. */
export type ConfigRoot = NonNullable<ReadConfig['root']>;

/** A value in a config. */
export type ConfigNode = ConfigRoot | (ConfigRoot['entries'] extends Map<string, infer Child> ? Child : never);

/** The config that a run or a preview starts from. It contains the real values of secrets. */
export interface ConfigSource {
  root: ConfigRoot;
  /** The components that the config may use. */
  registry: RegistrySource;
  /** Whether the config is a preset. Scripts of presets run outside a sandbox. */
  trusted: boolean;
  digest: string;
  /**
   * The length of the text in characters, to limit the memory of waiting runs. It is 0 for a preset, which is always in
   * memory.
   */
  size: number;
}

/** Identifies a config: its id, its name and its version. A preset has neither name nor version. */
export interface ConfigIdentity {
  id: string;
  name: string | null;
  version: number | null;
}
