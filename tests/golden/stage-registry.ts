import { catalogUrl } from '@headrace/components';
import { Registry } from '@headrace/engine';

/**
 * Opens a registry of the built-in components from the build, with an indexer that accepts nothing. A config without
 * an indexer is invalid.
 */
export function openStageRegistry(): Promise<Registry> {
  return Registry.open({
    catalogs: [catalogUrl],
    modules: ['./no-indexer.ts'],
    base: new URL('./', import.meta.url).href,
    allowModules: false,
  });
}
