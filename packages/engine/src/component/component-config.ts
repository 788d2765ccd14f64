import type { CatalogEntry } from './catalog.ts';

/** A component of a checked config: its class and its parsed parameters. */
export interface ComponentConfig {
  readonly entry: CatalogEntry;
  readonly params: Record<string, unknown>;
  /** The position in the config, for example `connectors[0]`. */
  readonly path: string;
}
