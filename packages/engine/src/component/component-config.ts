import type { CatalogEntry } from './catalog.ts';

/** A component of a checked config: which class, and its parameters as the class takes them. */
export interface ComponentConfig {
  readonly entry: CatalogEntry;
  readonly params: Record<string, unknown>;
  /** Where it is in the config: `connectors[0]`. */
  readonly path: string;
}
