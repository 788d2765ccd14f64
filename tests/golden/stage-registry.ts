import { catalogUrl } from '@headrace/components';
import { Registry } from '@headrace/engine';

/**
 * The built-in components, as the build has created them, and an indexer that accepts nothing, because a config without
 * one is invalid.
 */
export function openStageRegistry(): Promise<Registry> {
  return Registry.open({
    catalogs: [catalogUrl],
    modules: ['./no-indexer.ts'],
    base: new URL('./', import.meta.url).href,
    allowModules: false,
  });
}
